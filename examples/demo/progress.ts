import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';

/** Handlers that a worker has started and not ended. */
export interface InProgress {
  readonly running: number;
  /** Of these, those that have charged and mailed already. */
  readonly pastEffects: number;
}

export async function inProgress(sql: Sql, worker: number): Promise<InProgress> {
  const [found] = await sql<[InProgress]>`
    select count(*)::int as running,
      count(*) filter (where exists (select from emails where run = runs.id))::int as "pastEffects"
    from runs
    where worker = ${worker} and ended_at is null`;
  return found;
}

/** Looks again and again, until nothing is missing. Throws what is missing when the signal aborts. */
export async function untilNothingIsMissing(
  look: () => Promise<string[]>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const missing = await look();
    if (missing.length === 0) return;
    if (signal.aborted) throw new Error(`${(signal.reason as Error).message}: ${missing.join(', ')}`);
    await sleep(everyMs);
  }
}

/** Says what a trial still has to do before it is over. */
export async function unfinished(sql: Sql, client: SQSClient, queueUrl: string): Promise<string[]> {
  const [{ uncharged }] = await sql<[{ uncharged: number }]>`
    select count(distinct order_id)::int as uncharged
    from messages
    where order_id not in (select order_id from charges)`;
  const queued = await messagesIn(client, queueUrl);
  const missing = [];
  if (uncharged > 0) missing.push(`${uncharged} orders are not charged`);
  if (queued > 0) missing.push(`${queued} messages are in the queue`);
  return missing;
}

/** All of them: visible, in somebody's hands, or delayed. */
export async function messagesIn(client: SQSClient, queueUrl: string): Promise<number> {
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
