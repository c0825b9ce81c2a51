import type { SQSClient } from '@aws-sdk/client-sqs';
import { type BatchAttempt, createHandleOnce, type HandleOnceEvent, RetryableError } from 'handle-once';
import { createSqsWorker, type SqsAttempt } from 'handle-once/sqs';
import type postgres from 'postgres';
import type { Ending, WorkerSettings } from '../settings.ts';
import type { Reach } from './points.ts';
import { report } from './report.ts';
import type { Run, Work } from './work.ts';

export interface Parts {
  readonly settings: WorkerSettings;
  readonly client: SQSClient;
  /** Of the records. */
  readonly sql: postgres.Sql;
  /** Of the effects. */
  readonly effects: postgres.Sql;
  readonly reach: Reach;
  readonly work: Work;
}

export interface Consuming {
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
}

interface Body {
  readonly message: number;
}

type EndingEvent = Extract<HandleOnceEvent, { readonly type: Ending }>;

const ENDINGS: readonly string[] = [
  'succeeded',
  'replayed',
  'failed',
  'released',
  'lease-lost',
  'unrecorded',
] satisfies Ending[];

function isEnding(event: HandleOnceEvent): event is EndingEvent {
  return ENDINGS.includes(event.type);
}

const CONCURRENCY = 10;
const again = (): Error => new RetryableError('again');

/** `createSqsWorker` with the business's own id as its key. */
export function packageConsumer({ settings, client, sql, effects, reach, work }: Parts): Consuming {
  const { consumer, queueUrl, scope, leaseMs, visibilityTimeoutSeconds, batch } = settings;
  const running = new Map<string, Run>();
  const nameOf = (key: string, attempt: number): string => `${key} ${attempt}`;

  const handleOnce = createHandleOnce({
    ...{ sql, scope, leaseMs, maxAttempts: 1_000, maxDeaths: 1_000, backoff: { baseMs: 20, maxMs: 200 } },
    onEvent(event) {
      if (event.type === 'claimed' || event.type === 'taken-over') reach('after-claim');
      reportEvent(event);
      if (event.type === 'succeeded') reach('after-settle');
    },
  });

  function reportEvent(event: HandleOnceEvent): void {
    if (event.type === 'store-error') report({ type: 'store-error' });
    if (!isEnding(event)) return;
    const isInterrupted = event.type === 'released' && event.interrupted === true;
    // An attempt that was interrupted is not counted any more.
    const name = nameOf(event.key, event.attempts + (isInterrupted ? 1 : 0));
    const run = event.type === 'replayed' ? undefined : running.get(name)?.run;
    if (run !== undefined) running.delete(name);
    const ending = isInterrupted ? 'interrupted' : event.type;
    report({ type: 'ended', message: Number(event.key), run, ending });
  }

  function begin(message: number, { key, number }: SqsAttempt, together: number): Run {
    const name = nameOf(key, number);
    const undone = running.get(name);
    // Without a transaction it must not run again.
    if (undone !== undefined && consumer === 'in-transaction') {
      report({ type: 'ended', message, run: undone.run, ending: 'undone' });
    }
    const run = work.begin(message, together);
    running.set(name, run);
    return run;
  }

  /** Takes the effects of all messages but those that it marks as failed. */
  async function handle(
    bodies: readonly unknown[],
    attempts: readonly (SqsAttempt & Partial<BatchAttempt>)[],
    target: postgres.Sql | postgres.TransactionSql,
  ): Promise<void> {
    const runs = attempts.map((attempt, index) => ({
      attempt,
      ...begin((bodies[index] as Body).message, attempt, attempts.length),
    }));
    const lookedAt = await work.prepare(attempts[0]?.signal);
    const done = runs.filter(({ attempt: { fail } }) => !work.fails(again, fail));
    const effects = done.map(({ attempt, run, message }) => ({
      ...{ run, message, lookedAt },
      effectKey: attempt.childKey('effect'),
    }));
    await work.takeEffects(target, effects);
  }

  const shared = {
    ...{
      client,
      queueUrl,
      handleOnce,
      visibilityTimeoutSeconds,
      concurrency: CONCURRENCY,
      waitTimeSeconds: 2,
    },
    key: ({ Body: body }: { readonly Body?: string | undefined }) =>
      String((JSON.parse(body ?? '') as Body).message),
    onFailed: 'acknowledge' as const,
    drainMs: 5_000,
    onEvent({ type }: { readonly type: string }) {
      if (type === 'received') reach('before-claim');
    },
  };
  if (consumer === 'in-transaction') {
    const options = { ...shared, inTransaction: true } as const;
    return batch === undefined
      ? createSqsWorker(options, (body, attempt, tx) => handle([body], [attempt], tx))
      : createSqsWorker({ ...options, batch }, (bodies, attempts, tx) => handle(bodies, attempts, tx));
  }
  return batch === undefined
    ? createSqsWorker(shared, (body, attempt) => handle([body], [attempt], effects))
    : createSqsWorker({ ...shared, batch }, (bodies, attempts) => handle(bodies, attempts, effects));
}
