import { fileURLToPath } from 'node:url';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { beforeAll, describe, expect, test } from 'vitest';
import { createQueue, drain, sqsEndpoint } from '../support/sqs.ts';
import { type Setup, useFixture } from '../sqs/support/fixture.ts';
import { until } from '../support/until.ts';
import { runProcess } from './run-process.ts';
import {
  type CrashPoint,
  crashPoints,
  type Receiver,
  receivers,
  type WorkerSettings,
} from './sqs/settings.ts';

const LEASE_MS = 700;
const MESSAGES = 3;

const fixture = useFixture('elasticmq');
const { sql } = fixture;
const program = fileURLToPath(new URL('sqs/worker.ts', import.meta.url));

beforeAll(async () => {
  await sql`create table plain_effects (scope text, key text, attempt integer)`;
  await sql`create table keyed_effects (scope text, key text, effect_key text unique)`;
});

function settingsFor({ queueUrl, scope }: Setup, crashAt: CrashPoint, maxDeaths = 10): WorkerSettings {
  const endpoint = sqsEndpoint('elasticmq');
  return {
    receiver: 'createSqsWorker',
    endpoint,
    queueUrl,
    databaseUrl: fixture.databaseUrl,
    scope,
    crashAt,
    leaseMs: LEASE_MS,
    maxDeaths,
  };
}

/** What dead workers held may be taken over now, instead of when their leases lapse. */
async function lapseLeases({ scope }: Setup): Promise<void> {
  await sql`
    update handle_once.records set live_until = now() - interval '1 second'
    where scope = ${scope} and state = 'pending'`;
}

interface RecordRow {
  key: string;
  state: string;
  attempts: number;
  failed_reason: string | null;
}

function recordsOf({ scope }: Setup): Promise<RecordRow[]> {
  return sql<RecordRow[]>`
    select key, state, attempts, failed_reason from handle_once.records where scope = ${scope} order by attempts, key`;
}

/** How often the effect of each message happened, the most often first. */
async function countsIn(table: 'plain_effects' | 'keyed_effects', { scope }: Setup): Promise<number[]> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::integer as count from ${sql(table)} where scope = ${scope} group by key order by count desc`;
  return rows.map(({ count }) => count);
}

/**
 * A worker of this process that lives, with the same handler. Its lease and what it receives are its own for as long as
 * a busy machine takes: the short times are those of the dead.
 */
async function survivor(queue: Setup) {
  const VisibilityTimeout = '120';
  const { maxDeaths } = queue.handleOnce.settings;
  await fixture.client.send(
    new SetQueueAttributesCommand({ QueueUrl: queue.queueUrl, Attributes: { VisibilityTimeout } }),
  );
  return await queue.startWorker({
    concurrency: 1,
    handleOnce: createHandleOnce({ sql, scope: queue.scope, leaseMs: 60_000, maxDeaths }),
    handler: async (_, attempt) => {
      const { scope, key, number } = attempt;
      await sql`insert into plain_effects (scope, key, attempt) values (${scope}, ${key}, ${number})`;
      await sql`
        insert into keyed_effects (scope, key, effect_key) values (${scope}, ${key}, ${attempt.childKey('effect')})
        on conflict (effect_key) do nothing`;
    },
  });
}

interface Promised {
  /** How often the effect of the message in flight at the crash happens. */
  readonly effects: number;
  readonly attempts: number;
  readonly replayed?: number;
}

/** The one message in flight at the crash; the others always happen once, in one attempt. */
const PROMISED: Record<CrashPoint, Promised> = {
  'before-claim': { effects: 1, attempts: 1 },
  'after-claim': { effects: 1, attempts: 2 },
  'in-handler': { effects: 1, attempts: 2 },
  // The record cannot know of an effect elsewhere: this is when code runs twice.
  'after-effect': { effects: 2, attempts: 2 },
  'after-settle': { effects: 1, attempts: 1, replayed: 1 },
  'before-delete': { effects: 1, attempts: 1, replayed: 1 },
};

/** From claim to settle the engine handles a message in the same way for each receiver. */
const POINTS: Record<Receiver, readonly CrashPoint[]> = {
  createSqsWorker: crashPoints,
  'sqs-consumer': ['before-claim', 'before-delete'],
};

describe.each(receivers)('A worker (%s) that is killed', (receiver) => {
  test.each(POINTS[receiver])(
    '%s: another one finishes, and every message has succeeded',
    async (crashAt) => {
      const queue = await fixture.setup({ visibilityTimeoutSeconds: 1 }, { leaseMs: LEASE_MS });
      // The worker has one message at its death: chance would have it whether it has claimed a second one.
      await queue.send('0');
      expect(await runProcess(program, { ...settingsFor(queue, crashAt), receiver }).ended).toBe('SIGKILL');
      await lapseLeases(queue);
      for (let n = 1; n < MESSAGES; n += 1) await queue.send(String(n));
      const worker = await survivor(queue);
      await queue.empty();

      const { effects, attempts, replayed } = PROMISED[crashAt];
      const records = await recordsOf(queue);
      expect(records.map(({ state }) => state)).toEqual(Array<string>(MESSAGES).fill('succeeded'));
      expect(records.map((record) => record.attempts)).toEqual([1, 1, attempts]);
      expect(await countsIn('plain_effects', queue)).toEqual([effects, 1, 1]);
      expect(await countsIn('keyed_effects', queue), 'an effect under its child key').toEqual([1, 1, 1]);
      expect(worker.counts().replayed).toBe(replayed);
    },
  );
});

describe('A message that kills its worker each time', () => {
  const MAX_DEATHS = 2;

  async function poison(queue: Setup): Promise<void> {
    await queue.send('"poison"');
    for (let attempt = 1; attempt <= MAX_DEATHS; attempt += 1) {
      expect(await runProcess(program, settingsFor(queue, 'in-handler', MAX_DEATHS)).ended).toBe('SIGKILL');
      await lapseLeases(queue);
    }
  }

  const setup = () =>
    fixture.setup({ visibilityTimeoutSeconds: 1 }, { leaseMs: LEASE_MS, maxDeaths: MAX_DEATHS });

  test('fails when its deaths are used up, and is deleted', async () => {
    const queue = await setup();
    await poison(queue);
    const worker = await survivor(queue);
    await queue.empty();

    expect(await recordsOf(queue)).toMatchObject([
      { state: 'failed', failed_reason: 'deaths-exhausted', attempts: MAX_DEATHS },
    ]);
    expect(await countsIn('plain_effects', queue)).toEqual([]);
    await until(() => worker.counts().acknowledged === 1);
  });

  test('is left to the redrive policy, or dead-lettered, where that is asked for', async () => {
    const queue = await setup();
    const deadLetterQueueUrl = await createQueue(fixture.client);
    await poison(queue);
    const leaving = await queue.startWorker({ onFailed: 'keep', handler: () => expect.unreachable() });
    await until(() => (leaving.counts().kept ?? 0) > 0);
    await leaving.stop();
    expect(queue.eventsOf('kept')[0]).toMatchObject({ reason: 'failed', visibleAfterSeconds: undefined });
    expect(queue.eventsOf('acknowledged')).toEqual([]);

    await queue.startWorker({ onFailed: { deadLetterQueueUrl }, handler: () => expect.unreachable() });
    await queue.empty();
    const [deadLetter, ...others] = await drain(fixture.client, deadLetterQueueUrl);
    expect(deadLetter).toMatchObject({
      Body: '"poison"',
      MessageAttributes: {
        HandleOnceError: {
          StringValue: expect.stringMatching(/^DeathsExhaustedError: attempt 2 /) as string,
        },
        HandleOnceAttempts: { StringValue: String(MAX_DEATHS) },
      },
    });
    expect(others).toEqual([]);
  });
});
