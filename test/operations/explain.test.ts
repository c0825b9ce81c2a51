import { hostname } from 'node:os';
import { createHandleOnce, type HandleOnceEvent, type HandleOnceOptions, TerminalError } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { explainRecord, forgetRecord, maintain, retryRecord, type Explanation } from 'handle-once/operations';
import postgres from 'postgres';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PACKAGE_VERSION } from '../../src/lib/package-version.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import { textOf } from '../../adapters/cli/commands/explain.ts';
import { useRole } from '../store/postgres/role.ts';
import { useDatabase } from '../support/database.ts';
import { expectSoon } from '../support/until.ts';

const { sql, url } = useDatabase();

const scope = 'billing';
const key = 'order-7';

beforeEach(async () => {
  await sql`truncate handle_once.records, handle_once.failures, handle_once.workers`;
});

/** With a client of its own: what is written in a second is bounded for each client. */
function worker(options: Partial<HandleOnceOptions> = {}) {
  const client = postgres(url, { fetch_types: false, onnotice: () => undefined });
  onTestFinished(() => client.end({ timeout: 5 }));
  const events: HandleOnceEvent[] = [];
  const handleOnce = createHandleOnce({
    ...{ sql: client, scope, backoff: () => 0 },
    onEvent: (event) => {
      events.push(event);
    },
    ...options,
  });
  const dropped = (): number =>
    events.reduce((sum, event) => sum + (event.type === 'failures-dropped' ? event.lines : 0), 0);
  return { handleOnce, dropped };
}

function throwing(error: Error): () => never {
  return () => {
    throw error;
  };
}

/** What is told once so many attempts are known: they are written after the fact. */
function explained(attempts: number): Promise<Explanation> {
  return expectSoon(async () => {
    const story = await explainRecord({ sql, scope, key });
    expect(story.attempts).toHaveLength(attempts);
    return story;
  });
}

async function linesWritten(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from handle_once.failures`;
  return row?.count ?? 0;
}

describe('What happened to a message is told', () => {
  test('of one that failed twice and then succeeded', async () => {
    const { handleOnce } = worker();
    await handleOnce(key, 'body', throwing(new Error('card is blocked')));
    await handleOnce(key, 'body', throwing(new TypeError('no card')));
    await handleOnce(key, 'body', () => 1);
    const { record, worker: last, attempts } = await explained(2);
    const here = { id: WORKER_ID, host: hostname(), pid: process.pid, version: PACKAGE_VERSION };
    expect(record).toMatchObject({ phase: 'succeeded', attempts: 3, worker: WORKER_ID });
    expect(record?.beganAt.getTime()).toBeGreaterThanOrEqual(record?.createdAt.getTime() ?? Infinity);
    expect(last).toMatchObject(here);
    expect(attempts).toMatchObject([
      { attempt: 1, ending: 'released', worker: here, error: { message: 'card is blocked' } },
      { attempt: 2, ending: 'released', worker: here, error: { name: 'TypeError' } },
    ]);
    expect(attempts[0]?.meaning).toMatch(/^its handler threw/);
    expect(attempts[0]?.tookMs).toBeGreaterThanOrEqual(0);
  });

  test('of one that ran in a batch, and then alone', async () => {
    const { handleOnce } = worker();
    const fails = throwing(new Error('the index is down'));
    await handleOnce.batch(
      [key, 'order-8', 'order-9'].map((each) => ({ key: each, payload: each })),
      fails,
    );
    await handleOnce.batch([{ key, payload: key }], fails);
    const { attempts } = await explained(2);
    expect(attempts.map(({ ending, batchSize }) => [ending, batchSize])).toEqual([
      ['released', 3],
      ['released', undefined],
    ]);
  });

  test('of one whose batch was stopped by another message, after its handler had run', async () => {
    const { handleOnce } = worker({ leaseMs: 1_000 });
    const entries = [key, 'order-8'].map((each) => ({ key: each, payload: each }));
    await handleOnce.batch(entries, async (_, [first]) => {
      await sql`update handle_once.records set token = gen_random_uuid() where key = 'order-8'`;
      await expectSoon(() => {
        expect(first?.signal.aborted).toBe(true);
      });
      first?.signal.throwIfAborted();
    });
    const { attempts } = await explained(1);
    expect(attempts).toMatchObject([{ ending: 'interrupted', batchSize: 2, attempt: 1 }]);
  });

  test('of a worker without a line, by its id alone, and of no worker', async () => {
    await worker().handleOnce(key, 'body', throwing(new Error('no')));
    await explained(1);
    await sql`truncate handle_once.workers`;
    const { worker: last, attempts } = await explained(1);
    expect([last, attempts[0]?.worker]).toEqual([{ id: WORKER_ID }, { id: WORKER_ID }]);
    await sql`update handle_once.failures set worker = null`;
    expect((await explained(1)).attempts[0]).not.toHaveProperty('worker');
  });

  test('of one that failed for good', async () => {
    await worker().handleOnce(key, 'body', throwing(new TerminalError('no')));
    const { attempts } = await explained(1);
    expect(attempts).toMatchObject([{ attempt: 1, ending: 'failed' }]);
    expect(attempts[0]?.meaning).toMatch(/later deliveries are answered from the record$/);
  });

  test('of one that failed for good, was retried, and failed again', async () => {
    const { handleOnce } = worker();
    await handleOnce(key, 'body', throwing(new TerminalError('no')));
    await explained(1);
    await retryRecord({ sql, scope, key });
    expect((await explained(1)).attempts[0]?.meaning).toMatch(
      /retry, redrive or the dashboard has since allowed it to run again/,
    );
    await handleOnce(key, 'body', throwing(new TerminalError('no')));
    expect((await explained(2)).attempts.map(({ meaning }) => meaning)).toEqual([
      expect.stringMatching(/retry, redrive or the dashboard has since allowed it to run again/),
      expect.stringMatching(/later deliveries are answered from the record$/),
    ]);
    await sql`update handle_once.records set live_until = now()`;
    await handleOnce(key, 'body', () => 1);
    const meanings = (await explained(2)).attempts.map(({ meaning }) => meaning);
    expect(new Set(meanings)).toEqual(
      new Set(['it failed permanently; that record has expired or was forgotten']),
    );
  });

  test('of one that its caller stopped', async () => {
    const caller = new AbortController();
    const stop = () => {
      caller.abort();
      throw new Error('stopped');
    };
    await worker().handleOnce(key, 'body', stop, { signal: caller.signal });
    expect((await explained(1)).attempts).toMatchObject([{ attempt: 1, ending: 'interrupted' }]);
  });

  test('of one whose lease lapsed, and whose handler went on beside the next', async () => {
    const { handleOnce } = worker();
    await handleOnce(key, 'body', async () => {
      await sql`update handle_once.records set live_until = now()`;
      await handleOnce(key, 'body', () => 2);
    });
    const { attempts } = await explained(2);
    expect(attempts).toMatchObject([
      { attempt: 1, ending: 'died', worker: { id: WORKER_ID } },
      { attempt: 1, ending: 'lease-lost', worker: { id: WORKER_ID } },
    ]);
    expect(attempts[0]).not.toHaveProperty('tookMs');
    expect(attempts[0]?.meaning).toMatch(
      /or the attempt went on past its lease or its time, and has another line/,
    );
    expect(attempts[1]?.meaning).toContain('runs it again, perhaps at the same time');
  });

  test('of one whose handler was forgotten, and went on beside another that died', async () => {
    const { handleOnce } = worker();
    await handleOnce(key, 'body', async () => {
      await forgetRecord({ sql, scope, key });
      await sql`
        insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
        values (${scope}, ${key}, '01234567-0000-0000-0000-000000000000', '', 'pending', true, 1, now(), now(), now())`;
    });
    const alone = await explained(1);
    expect(alone.record).toMatchObject({ phase: 'lapsed', worker: '01234567' });
    expect(textOf(alone)).toContain('attempt 1 has no outcome on record');
    await handleOnce(key, 'body', () => 2);
    const { attempts } = await explained(2);
    expect(attempts).toMatchObject([
      { attempt: 1, ending: 'lease-lost', worker: { id: WORKER_ID } },
      { attempt: 1, ending: 'died', worker: { id: '01234567' } },
    ]);
    expect(attempts[1]?.meaning).toMatch(/^its lease ended: its process crashed/);
  });

  test('of one that killed its workers: the process of the last, and not the one that found it', async () => {
    const { handleOnce } = worker({ maxDeaths: 1 });
    await sql`
      insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, began_at)
      values (${scope}, ${key}, '01234567-0000-0000-0000-000000000000', '', 'pending', true, 1, now(), now(), now())`;
    await sql`
      insert into handle_once.workers (id, host, pid, version, started_at, seen_at)
      values ('01234567', 'another', 7, '1', now(), now())`;
    await handleOnce(key, 'body', () => expect.fail('it ran'));
    const { record, worker: last, attempts } = await explained(1);
    expect(record).toMatchObject({
      failedReason: 'deaths-exhausted',
      error: { name: 'DeathsExhaustedError' },
    });
    expect(record).not.toHaveProperty('worker');
    expect(last).toMatchObject({ host: 'another', pid: 7 });
    expect(attempts).toMatchObject([{ attempt: 1, ending: 'died', worker: { host: 'another' } }]);
    await retryRecord({ sql, scope, key });
    const retried = await explained(1);
    expect(retried.record).not.toHaveProperty('worker');
    expect(retried.worker).toMatchObject({ host: 'another', pid: 7 });
    await sql`update handle_once.failures set attempt = 0`;
    expect((await explained(1)).worker).toBeUndefined();
  });

  test('of one that there is nothing to tell of', async () => {
    expect(await explainRecord({ sql, scope, key })).toEqual({
      ...{ record: undefined, worker: undefined, attempts: [] },
    });
  });
});

describe('The lines about a record', () => {
  async function failedOnce(): Promise<void> {
    await worker().handleOnce(key, 'body', throwing(new TerminalError('no')));
    await explained(1);
  }

  test('are deleted with it when it is purged', async () => {
    await failedOnce();
    await sql`update handle_once.records set live_until = now()`;
    expect(await maintain({ sql })).toMatchObject({ state: 'finished', purged: 1 });
    expect(await linesWritten()).toBe(0);
  });

  test('are deleted with it when it is forgotten', async () => {
    await failedOnce();
    await forgetRecord({ sql, scope, key });
    expect(await linesWritten()).toBe(0);
  });

  test('that is gone, and workers that have not been seen, are deleted in time', async () => {
    await failedOnce();
    await sql`delete from handle_once.records`;
    await maintain({ sql });
    expect(await linesWritten()).toBe(1);
    await sql`update handle_once.failures set ended_at = now() - interval '31 days'`;
    await sql`update handle_once.workers set seen_at = now() - interval '31 days'`;
    await maintain({ sql });
    expect([await linesWritten(), await sql`select from handle_once.workers`]).toEqual([0, []]);
  });

  async function written(lines: number): Promise<void> {
    await sql`
      insert into handle_once.failures (ended_at, attempt, scope, key, ending)
      select now(), n, ${scope}, ${key}, 'released' from generate_series(1, ${lines}::int) as n`;
  }

  test('are told from the newest on, however many there are', async () => {
    const { handleOnce } = worker({ maxAttempts: Infinity });
    await handleOnce(key, 'body', throwing(new Error('the first')));
    await explained(1);
    await written(99);
    await handleOnce(key, 'body', throwing(new Error('the last')));
    await expectSoon(async () => {
      expect(await linesWritten()).toBe(101);
    });
    const { attempts } = await explainRecord({ sql, scope, key });
    expect(attempts).toHaveLength(100);
    expect(attempts[0]).toMatchObject({ attempt: 1, ending: 'released' });
    expect(attempts[0]).not.toHaveProperty('error');
    expect(attempts.at(-1)).toMatchObject({ attempt: 2, error: { message: 'the last' } });
  });

  test('are cut to the newest 100 by maintenance, and those of others stay', async () => {
    const { handleOnce } = worker();
    await handleOnce('other', 'body', throwing(new Error('no')));
    await handleOnce(key, 'body', throwing(new Error('the first')));
    await explained(1);
    await written(120);
    await maintain({ sql });
    const left = await sql<{ key: string; attempt: number }[]>`
      select key, attempt from handle_once.failures order by id`;
    const own = left.filter((line) => line.key === key).map(({ attempt }) => attempt);
    expect(own).toEqual(Array.from({ length: 100 }, (_, n) => n + 21));
    expect(left.filter((line) => line.key === 'other')).toHaveLength(1);
  });

  test('of an earlier life are deleted by maintenance', async () => {
    const { handleOnce } = worker();
    await handleOnce(key, 'body', throwing(new TerminalError('no')));
    await explained(1);
    await written(98);
    await sql`update handle_once.records set live_until = now()`;
    await handleOnce(key, 'body', throwing(new TerminalError('again')));
    await explained(100);
    await maintain({ sql });
    expect((await explained(1)).attempts).toMatchObject([{ error: { message: 'again' } }]);
  });
});

test('of requests, those have lines whose handlers broke, and not those that clients can have refused', async () => {
  const { handleOnce } = worker();
  const statuses = [401, 403, 408, 409, 425, 429, 500, 503];
  const answers = [...statuses];
  const send = onceEachRequest({ handleOnce, route: '/orders', principal: null }, () => {
    const status = answers.shift();
    if (status === undefined) throw new Error('broken');
    return new Response('no', { status });
  });
  const post = () =>
    send(new Request('http://api.test/', { method: 'POST', headers: { 'idempotency-key': 'a' }, body: '1' }));
  for (const status of statuses) expect((await post()).status).toBe(status);
  await expect(post()).rejects.toThrow('broken');
  const messages = await expectSoon(async () => {
    const lines = await sql<{ error: string }[]>`select error from handle_once.failures order by attempt`;
    const written = lines.map(({ error }) => (JSON.parse(error) as Error).message);
    expect(written).toContain('broken');
    return written;
  });
  expect(messages).toEqual([
    'the handler answered 500, which is not stored',
    'the handler answered 503, which is not stored',
    'broken',
  ]);
});

test('of a burst of failures some are dropped, and counted', async () => {
  const { handleOnce, dropped } = worker({ maxAttempts: Infinity });
  const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
  await Promise.all(keys.map((one) => handleOnce(one, 'body', throwing(new Error('no')))));
  await expectSoon(async () => {
    expect((await linesWritten()) + dropped()).toBe(500);
  });
  expect(dropped()).toBeGreaterThan(0);
  // The next second has room again.
  await expectSoon(async () => {
    await handleOnce(key, 'body', throwing(new Error('no')));
    expect((await explainRecord({ sql, scope, key })).attempts).not.toEqual([]);
  });
});

describe('A role that may not write them', () => {
  const role = useRole(sql);

  test('handles messages all the same, and loses these lines alone', async () => {
    await sql.unsafe(`
      grant usage on schema handle_once to ${role};
      grant select, insert, update on handle_once.records to ${role};
      grant select on handle_once.migrations to ${role}`);
    const client = postgres(url, { connection: { role }, onnotice: () => undefined });
    onTestFinished(() => client.end({ timeout: 5 }));
    const { handleOnce, dropped } = worker({ sql: client });
    await handleOnce.checkStore();
    expect(await handleOnce(key, 'body', throwing(new Error('no')))).toMatchObject({ reason: 'released' });
    expect(await handleOnce(key, 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 2 });
    await expectSoon(() => {
      expect(dropped()).toBe(1);
    });
    expect(handleOnce.counts()).not.toHaveProperty('store-error');
    expect(await explainRecord({ sql, scope, key })).toMatchObject({
      ...{ worker: { id: WORKER_ID }, attempts: [] },
    });
  });
});
