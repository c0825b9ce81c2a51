import { channel } from 'node:diagnostics_channel';

/** A statement that was answered, or was not in time. */
export interface SentStatement {
  readonly verb: 'claim' | 'settle' | 'extend';
  /** Of the records. */
  readonly scope: string;
  /** How many messages shared it. */
  readonly messages: number;
  /** Milliseconds until its answer, with fractions. */
  readonly durationMs: number;
  readonly failed: boolean;
}

const published = channel('handle-once:statement');

/** Publishes how long a statement took, where a subscriber wants to know. */
export function timed<Reply>(
  statement: Pick<SentStatement, 'verb' | 'scope' | 'messages'>,
  reply: Promise<Reply>,
): Promise<Reply> {
  return published.hasSubscribers ? publishEnd(statement, reply) : reply;
}

async function publishEnd<Reply>(
  statement: Pick<SentStatement, 'verb' | 'scope' | 'messages'>,
  reply: Promise<Reply>,
): Promise<Reply> {
  const startedAt = performance.now();
  let failed = true;
  try {
    const answer = await reply;
    failed = false;
    return answer;
  } finally {
    const durationMs = performance.now() - startedAt;
    published.publish({ ...statement, durationMs, failed } satisfies SentStatement);
  }
}
