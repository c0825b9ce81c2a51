import postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { createHandleOnce, type HandleOnce, TerminalError } from '../../src/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { gate } from '../support/gate.ts';
import { usePostgresBench } from './support/bench.ts';
import { type InFlight, inFlight } from './support/in-flight.ts';
import { withCommit } from './support/with-commit.ts';
import { expectSoon, until } from '../support/until.ts';

type Tx = postgres.TransactionSql;

const bench = usePostgresBench();
const { sql } = bench.database;
const lostConnection = () =>
  Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });

let scopes = 0;
let scope = '';
let handleOnce: HandleOnce<Tx>;

beforeAll(async () => {
  await sql`create table effects (id text not null)`;
  await sql`create table parents (id text primary key)`;
  await sql`
    create table children (
      parent text not null references parents (id) deferrable initially deferred)`;
});

beforeEach(async () => {
  await sql`delete from effects`;
  scopes += 1;
  scope = `tx-${scopes}`;
  handleOnce = createHandleOnce({ sql, scope, backoff: () => 0 });
});

async function effects(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from effects order by id`;
  return rows.map(({ id }) => id);
}

function write(tx: Tx, id: string): Promise<unknown> {
  return tx`insert into effects (id) values (${id})`.execute();
}

function writeInFlight(id: string): Promise<InFlight> {
  return inFlight((key, payload, fn) =>
    handleOnce.inTransaction(key, payload, async (_, __, tx) => {
      await write(tx, id);
      return fn();
    }),
  );
}

/** The real client, with another way to run a transaction. */
function withBegin(begin: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>): PostgresClient<Tx> {
  return { unsafe: sql.unsafe.bind(sql) as PostgresClient['unsafe'], begin: (_, work) => begin(work) };
}

/** The real client, in whose transactions another thing is done than our COMMIT. */
function committing(commit: (tx: Tx) => Promise<unknown>): PostgresClient<Tx> {
  return withBegin((work) => sql.begin((tx) => work(withCommit(tx, () => commit(tx)))));
}

/** A transaction whose statements land, and are not answered. */
function losingReplies(tx: Tx): Tx {
  return withReplies(tx, () => Promise.reject(lostConnection()));
}

function withReplies(tx: Tx, reply: (rows: unknown) => Promise<unknown>): Tx {
  const unsafe = (...statement: Parameters<Tx['unsafe']>) => ({
    raw: async () => reply(await tx.unsafe(...statement).raw()),
  });
  return new Proxy(tx, {
    get: (target, name): unknown => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}

/** A process that is frozen when heartbeats are due sends those of all its messages together. */
function sendHeartbeatsTogether(dueInMs: number): void {
  const timer = setTimeout(() => {
    const end = performance.now() + 400;
    while (performance.now() < end);
  }, dueInMs - 100);
  onTestFinished(() => {
    clearTimeout(timer);
  });
}

describe('A handler in a transaction', () => {
  it('commits its effect and its record together, and a replay runs nothing', async () => {
    const first = await handleOnce.inTransaction('key', 'body', async (payload, attempt, tx) => {
      await write(tx, `${payload} ${attempt.number}`);
      expect(await bench.record(scope, 'key')).toMatchObject({ state: 'pending', attempts: 1 });
      return 'done';
    });
    expect(first).toMatchObject({ state: 'succeeded', replayed: false, result: 'done', attempts: 1 });
    const handler = vi.fn();
    expect(await handleOnce.inTransaction('key', 'body', handler)).toMatchObject({
      state: 'succeeded',
      replayed: true,
      result: 'done',
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ replayed: true });
    expect(handler).not.toHaveBeenCalled();
    expect(await effects()).toEqual(['body 1']);
    expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1, replayed: 2 });
  });

  it('that throws leaves nothing of its effect, and is tried again with the attempt counted', async () => {
    const failed = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'half');
      throw new Error('later');
    });
    expect(failed).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'later' } });
    expect(await effects()).toEqual([]);
    const retried = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'whole'));
    expect(retried).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await effects()).toEqual(['whole']);
  });

  it('that fails for good leaves nothing of its effect, and a durable failure', async () => {
    const failed = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'half');
      throw new TerminalError('never');
    });
    expect(failed).toMatchObject({ state: 'failed', reason: 'terminal', replayed: false });
    expect(await handleOnce.inTransaction('key', 'body', () => 1)).toMatchObject({
      state: 'failed',
      replayed: true,
    });
    expect(await effects()).toEqual([]);
  });

  it('does not start on a payload that does not fit the schema', async () => {
    const handler = vi.fn();
    const outcome = await handleOnce.inTransaction('key', 'body', handler, { schema: z.number() });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('answers a duplicate that comes meanwhile at once', async () => {
    const owner = await writeInFlight('effect');
    expect(await handleOnce.inTransaction('key', 'body', () => 1)).toMatchObject({ reason: 'in-flight' });
    owner.finish();
    expect(await owner.outcome).toMatchObject({ state: 'succeeded' });
  });

  it('runs once when fifty come at the same moment', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () =>
        handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'effect'), { waitMs: 20_000 }),
      ),
    );
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['succeeded']));
    expect(await effects()).toEqual(['effect']);
  });

  it('whose worker dies each time is counted, and ends', async () => {
    // The last one to die keeps the suspect slot of its process.
    const host = createHost(systemClock, WORKER_ID);
    const mortal = createHandleOnceIn(host, { sql, scope, maxDeaths: 2 });
    for (const attempts of [1, 2]) {
      const running = gate();
      void mortal.inTransaction('key', 'body', async () => {
        running.open();
        await new Promise(() => undefined);
      });
      await running.opened;
      expect(await bench.record(scope, 'key')).toMatchObject({ attempts });
      await bench.pass(30_000);
    }
    expect(await mortal.inTransaction('key', 'body', () => 1)).toMatchObject({
      state: 'failed',
      reason: 'deaths-exhausted',
    });
  });

  it('that was taken over commits nothing', async () => {
    const zombie = await writeInFlight('zombie');
    await bench.pass(30_000);
    const heir = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'heir'));
    expect(heir).toMatchObject({ state: 'succeeded', attempts: 2 });
    zombie.finish();
    expect(await zombie.outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await effects()).toEqual(['heir']);
  });

  it.each(['repeatable read', 'serializable'])('works where sessions are %s by default', async (level) => {
    const strict = postgres(bench.database.url, {
      max: 2,
      connection: { default_transaction_isolation: level as never },
    });
    onTestFinished(() => strict.end());
    const once = createHandleOnce({ sql: strict, scope });
    const outcome = await once.inTransaction('key', 'body', (_, __, tx) => write(tx, level));
    expect(outcome).toMatchObject({ state: 'succeeded' });
    expect(await effects()).toEqual([level]);
  });
});

describe('A commit', () => {
  it('that the database refuses leaves nothing, and is an error like any other', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'effect');
      await tx`insert into children (parent) values ('nobody')`;
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '23503' } });
    expect(await effects()).toEqual([]);
  });

  it('whose answer was lost is found out: it was made', async () => {
    const client = committing(async (tx) => {
      await tx.unsafe('commit').raw();
      throw lostConnection();
    });
    const once = createHandleOnce({ sql: client, scope });
    const outcome = await once.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'effect');
      return 'done';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', replayed: false, result: 'done' });
    expect(await effects()).toEqual(['effect']);
  });

  it('whose answer was lost is found out: it was not made', async () => {
    const client = committing(async (tx) => {
      await tx.unsafe('rollback').raw();
      throw lostConnection();
    });
    const once = createHandleOnce({ sql: client, scope, backoff: () => 0 });
    const outcome = await once.inTransaction('key', 'body', (_, __, tx) => write(tx, 'effect'));
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(await effects()).toEqual([]);
    expect(await handleOnce.inTransaction('key', 'body', () => 1)).toMatchObject({ attempts: 2 });
  });

  it('that is still on its way when its answer is lost is waited for', async () => {
    const commit = gate();
    let committed: Promise<unknown> = Promise.resolve();
    const client = committing((tx) => {
      committed = commit.opened.then(() => tx.unsafe('commit').raw());
      return Promise.reject(lostConnection());
    });
    const once = createHandleOnce({ sql: client, scope });
    const outcome = once.inTransaction('key', 'body', (_, __, tx) => write(tx, 'effect'));
    await expectSoon(async () => {
      const waiting = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(1);
    });
    commit.open();
    await committed;
    expect(await outcome).toMatchObject({ state: 'succeeded', replayed: false });
    expect(await effects()).toEqual(['effect']);
  });

  it('whose own or whose settle was not answered for long costs no other message its lease', async () => {
    const end = gate();
    onTestFinished(() => {
      end.open();
    });
    /** The server keeps the transaction until `end`. */
    async function lose(unanswered: 'commit' | 'settle') {
      let left: Promise<unknown> = Promise.resolve();
      const client = withBegin((work) => {
        const lost = gate();
        left = sql.begin(async (tx) => {
          const unsent = withCommit(tx, async () => {
            // Behind the settle, which has locked the record then.
            await tx`select`;
            lost.open();
            throw lostConnection();
          });
          void work(unanswered === 'settle' ? losingReplies(unsent) : unsent).catch(() => undefined);
          await end.opened;
          throw new Error('the server gives the session up');
        });
        left.catch(() => undefined);
        return lost.opened.then(() => {
          throw lostConnection();
        });
      });
      const once = createHandleOnce({ sql: client, scope: `${scope} ${unanswered}`, leaseMs: 6_000 });
      const signals: AbortSignal[] = [];
      const finish = gate();
      // Their keys come before and after that of the lost one: statements lock records in that order.
      const others = ['a', 'z'].map((key) =>
        once(key, 'body', async (_, attempt) => {
          signals.push(attempt.signal);
          await finish.opened;
        }),
      );
      await until(() => signals.length === 2);
      sendHeartbeatsTogether(2_000);
      const lost = await once.inTransaction('m', 'body', (_, __, tx) => write(tx, 'effect'));
      expect(lost, unanswered).toMatchObject({ reason: 'unrecorded' });
      expect(
        signals.map(({ aborted }) => aborted),
        unanswered,
      ).toEqual([false, false]);
      finish.open();
      expect((await Promise.all(others)).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
      return { left };
    }
    const lost = await Promise.all([lose('commit'), lose('settle')]);
    end.open();
    await Promise.allSettled(lost.map(({ left }) => left));
  });
});

it('a handler whose payload is still read when the call is answered never starts', async () => {
  const read = gate();
  const schema = z.string().refine(async () => {
    await read.opened;
    return true;
  });
  let begun: Promise<unknown> | undefined;
  const client = withBegin((work) => (begun = sql.begin(work)));
  const once = createHandleOnce({ sql: client, scope, schema, timeoutMs: 50 });
  const handler = vi.fn();
  expect(await once.inTransaction('key', 'body', handler)).toMatchObject({ reason: 'unrecorded' });
  read.open();
  await Promise.allSettled([begun]);
  expect(handler).not.toHaveBeenCalled();
});

it('a store of the user’s own has no transactions, and says so before anything runs', async () => {
  const once = createHandleOnce({ store: createMemoryStore(), scope: 'a' });
  const handler = vi.fn();
  const refusal = {
    code: 'INVALID_OPTIONS',
    issues: [
      {
        field: 'sql',
        message: 'is missing: your own store has no transactions; create handleOnce with sql',
      },
    ],
  };
  await expect(once.inTransaction('key', 'body', handler)).rejects.toMatchObject(refusal);
  expect(handler).not.toHaveBeenCalled();
});
