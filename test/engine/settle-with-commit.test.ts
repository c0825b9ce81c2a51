import postgres, { type TransactionSql } from 'postgres';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHandleOnce, type HandleOnce } from '../../src/index.ts';
import type { PostgresClient } from '../../src/postgres/postgres-client.ts';
import { gate } from '../support/gate.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { useTransactionPooler } from '../support/transaction-pooler.ts';
import { usePostgresBench } from './support/bench.ts';
import { withCommit } from './support/with-commit.ts';

type Tx = TransactionSql;

const bench = usePostgresBench();
const { sql, url } = bench.database;

let scopes = 0;
let scope = '';
let handleOnce: HandleOnce<Tx>;

beforeAll(async () => {
  await sql`create table effects (id text not null)`;
  await sql`create table at_commit (run text not null)`;
  await sql`create function at_commit() returns trigger language plpgsql as $$
    begin
      execute new.run;
      return new;
    end $$`;
  await sql`create constraint trigger at_commit after insert on at_commit
    deferrable initially deferred for each row execute function at_commit()`;
  await sql`create function stand_still() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(10);
      return new;
    end $$`;
  await sql`create trigger stand_still before update on handle_once.records
    for each row when (new.key = 'slow' and new.state = 'succeeded') execute function stand_still()`;
});

beforeEach(async () => {
  await sql`delete from effects`;
  scopes += 1;
  scope = `last-${scopes}`;
  handleOnce = createHandleOnce({ sql, scope, backoff: () => 0 });
});

function write(tx: Tx, id: string): Promise<unknown> {
  return tx`insert into effects (id) values (${id})`.execute();
}

/** Has the server run a statement when the transaction commits. */
function atCommit(tx: Tx, run: string): Promise<unknown> {
  return tx`insert into at_commit values (${run})`.execute();
}

async function effects(): Promise<string[]> {
  return (await sql<{ id: string }[]>`select id from effects order by id`).map(({ id }) => id);
}

/** A client of one connection, which tells what the server has it print. */
function clientOfOne(options: postgres.Options<never> = {}): { one: postgres.Sql; notices: unknown[] } {
  const notices: unknown[] = [];
  const onnotice = (notice: unknown): void => {
    notices.push(notice);
  };
  const one = postgres(url, { fetch_types: false, max: 1, onnotice, ...options });
  onTestFinished(() => one.end({ timeout: 1 }));
  return { one, notices };
}

function inside(tx: Tx, unsafe: (...statement: Parameters<Tx['unsafe']>) => unknown): Tx {
  return new Proxy(tx, {
    get: (target, name): unknown => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}

/** The client, what it sends for the record of a message, and the replies in transactions once they may be read. */
function watched(sent: string[], mayRead: () => Promise<void>): PostgresClient<Tx> {
  const note = (statement: string, what: string): void => {
    // Once a day a process says which it is, beside the first message.
    if (statement.includes('commit')) sent.push('COMMIT');
    else if (statement.includes('records')) sent.push(what);
  };
  const watching = (tx: Tx): Tx =>
    inside(tx, (...statement) => {
      note(statement[0], 'settle');
      const rows = tx.unsafe(...statement).raw();
      return { raw: () => Promise.all([rows, mayRead()]).then(([read]) => read) };
    });
  return {
    unsafe(...statement) {
      note(statement[0], 'outside');
      return sql.unsafe(...statement) as ReturnType<PostgresClient['unsafe']>;
    },
    begin: (options, work) => sql.begin(options, (tx) => work(watching(tx))),
  };
}

/** What another worker does that finds the lease lapsed. */
async function takeOver(key: string): Promise<void> {
  await sql`
    update handle_once.records set live_until = now() - interval '1 second' where scope = ${scope} and key = ${key}`;
  const other = createHandleOnce({ sql, scope });
  expect(await other(key, 'body', () => 'theirs')).toMatchObject({ state: 'succeeded', attempts: 2 });
}

describe('The settle of a handler in a transaction', () => {
  it('leaves with its COMMIT: no reply is waited for between them, and nothing is asked after them', async () => {
    const sent: string[] = [];
    const both = gate();
    const client = watched(sent, async () => {
      if (sent.includes('COMMIT')) both.open();
      await both.opened;
    });
    const once = createHandleOnce({ sql: client, scope });
    const outcome = await once.inTransaction('key', 'body', (_, __, tx) => write(tx, 'mine'));
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(sent).toEqual(['outside', 'settle', 'COMMIT']);
    expect(await effects()).toEqual(['mine']);
  });

  it('rolls all back where another has taken the record over since the last write', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      await takeOver('key');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await effects()).toEqual([]);
    expect(await bench.record(scope, 'key')).toMatchObject({ state: 'succeeded', result: '"theirs"' });
  });

  it('rolls all back where a statement that was not awaited has failed', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      void tx`select 1 / 0`.execute().catch(() => undefined);
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
    expect(await effects()).toEqual([]);
    const again = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'again'));
    expect(again).toMatchObject({ state: 'succeeded', attempts: 2 });
  });

  it('commits what a handler wrote whose savepoint was rolled back', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      await tx.savepoint((inner) => inner`select 1 / 0`).catch(() => undefined);
    });
    expect(outcome).toMatchObject({ state: 'succeeded' });
    expect(await effects()).toEqual(['mine']);
  });

  it('is not put on record outside, though the client sends it again since its preparation is lost', async () => {
    const { one } = clientOfOne();
    const once = createHandleOnce({ sql: one, scope, backoff: () => 0 });
    expect(await once.inTransaction('first', 'body', (_, __, tx) => write(tx, 'first'))).toMatchObject({
      state: 'succeeded',
    });
    const outcome = await once.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      await tx.unsafe('deallocate all');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(await bench.record(scope, 'key')).toMatchObject({ state: 'pending', result: null });
    expect(await effects()).toEqual(['first']);
  });

  it.each([true, false])(
    'leaves no transaction on its connection and has nothing printed, with prepare: %s',
    async (prepare) => {
      const { one, notices } = clientOfOne({ prepare });
      const once = createHandleOnce({ sql: one, scope, backoff: () => 0 });
      const states = [];
      for (let n = 0; n < 9; n += 1) {
        const { state } = await once.inTransaction(`key-${n}`, 'body', async (_, __, tx) => {
          await write(tx, `effect-${n}`);
          if (n % 3 === 1) await takeOver(`key-${n}`);
          if (n % 3 === 2) await atCommit(tx, 'select 1 / 0');
        });
        states.push(state);
      }
      expect(states).toEqual(Array(3).fill(['succeeded', 'pending', 'pending']).flat());
      expect(await effects()).toEqual(['effect-0', 'effect-3', 'effect-6']);
      expect(await one.unsafe('select now() = statement_timestamp() as alone')).toEqual([{ alone: true }]);
      expect(notices).toEqual([]);
    },
  );
});

describe('A transaction whose COMMIT left with its settle', () => {
  it('is released where the COMMIT is cancelled', async () => {
    const cancel = 'perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(10);';
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      await atCommit(tx, `do $do$ begin ${cancel} end $do$`);
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '57014' } });
    expect(await effects()).toEqual([]);
  });

  it('is released where the settle takes longer than statement_timeout', async () => {
    const outcome = await handleOnce.inTransaction('slow', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      await tx`set local statement_timeout = 50`;
    });
    expect(outcome).toMatchObject({
      ...{ state: 'pending', reason: 'released', error: { cause: { code: '57014' } } },
    });
    expect(await effects()).toEqual([]);
  });

  it('runs again within its attempt where the COMMIT loses a conflict', async () => {
    let runs = 0;
    const conflict = `do $do$ begin raise exception 'conflict' using errcode = '40001'; end $do$`;
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      runs += 1;
      await write(tx, `run ${runs}`);
      if (runs < 3) await atCommit(tx, conflict);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await effects()).toEqual(['run 3']);
  });

  it('runs again within its attempt where serializable transactions conflict at their COMMIT', async () => {
    const { one } = clientOfOne({ max: 4, connection: { default_transaction_isolation: 'serializable' } });
    const once = createHandleOnce({ sql: one, scope });
    const read = [gate(), gate()];
    const work = (mine: number) => async (_: unknown, __: unknown, tx: Tx) => {
      await tx`select count(*) from effects`;
      read[mine]?.open();
      await read[1 - mine]?.opened;
      await write(tx, `effect ${mine}`);
    };
    const both = [0, 1].map((mine) => once.inTransaction(`key-${mine}`, 'body', work(mine)));
    for (const outcome of await Promise.all(both)) {
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    }
    expect(await effects()).toEqual(['effect 0', 'effect 1']);
  });

  it.each([
    ['before it', (tx: Tx) => tx.unsafe('select pg_terminate_backend(pg_backend_pid())').raw()],
    ['in the middle of it', undefined],
  ])('is released where its connection ends: %s', async (_, commit) => {
    const { one: breaking } = clientOfOne({ max: 4 });
    const client: PostgresClient<Tx> = {
      unsafe: breaking.unsafe.bind(breaking) as PostgresClient['unsafe'],
      begin: (options, work) =>
        breaking.begin(options, (tx) =>
          work(commit === undefined ? tx : withCommit(tx, async () => commit(tx))),
        ),
    };
    const once = createHandleOnce({ sql: client, scope, backoff: () => 0 });
    const outcome = await once.inTransaction('key', 'body', async (__, ___, tx) => {
      await write(tx, 'mine');
      if (commit === undefined) await atCommit(tx, 'select pg_terminate_backend(pg_backend_pid())');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(await effects()).toEqual([]);
    const again = await handleOnce.inTransaction('key', 'body', (__, ___, tx) => write(tx, 'again'));
    expect(again).toMatchObject({ state: 'succeeded', attempts: 2 });
  });

  it('has succeeded where the answers of both are lost with their connection', async () => {
    const server = new URL(url);
    const proxy = await tcpProxy({ host: server.hostname, port: Number(server.port) });
    onTestFinished(() => proxy.cut());
    server.port = String(proxy.port);
    const lossy = postgres(server.href, { fetch_types: false });
    onTestFinished(() => lossy.end({ timeout: 1 }));
    const once = createHandleOnce({ sql: lossy, scope });
    let lost = 0;
    proxy.loseReplies((reply) => {
      const isLost = lost === 0 && reply.includes('COMMIT\0');
      if (isLost) lost += 1;
      return isLost;
    });
    const outcome = await once.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'mine');
      return 'done';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', replayed: false, result: 'done', attempts: 1 });
    expect(lost).toBe(1);
    expect(await effects()).toEqual(['mine']);
  });
});

function connectionClosed(): Error {
  return Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
}

/** The client, whose transactions are lost at their settle. That and the COMMIT land before an update beside them. */
function landingLate(): PostgresClient<Tx> {
  const [lost, landed] = [gate(), gate()];
  const held: (() => Promise<unknown>)[] = [];
  return {
    unsafe(...statement) {
      const raw = async () => {
        const isSettle = statement[0].includes('failed_reason = s.failed_reason');
        for (const land of isSettle ? held.splice(0) : []) await land();
        if (isSettle) landed.open();
        return await sql.unsafe(...statement).raw();
      };
      return { raw };
    },
    begin(options, work) {
      const holding = (tx: Tx): Tx =>
        inside(tx, (...statement) => {
          if (!/^\s*(with settled|select; commit)/.test(statement[0])) return tx.unsafe(...statement);
          held.push(async () => tx.unsafe(...statement).raw());
          lost.open();
          return { raw: () => Promise.reject(connectionClosed()) };
        });
      const running = sql.begin(options, (tx) =>
        Promise.race([work(holding(tx)), lost.opened.then(() => landed.opened)]),
      );
      return Promise.race([running, lost.opened.then(() => Promise.reject(connectionClosed()))]);
    },
  };
}

it('A transaction that commits after its record was asked for it is not said to have failed', async () => {
  const once = createHandleOnce({ sql: landingLate(), scope, maxAttempts: 1 });
  const outcome = await once.inTransaction('key', 'body', (_, __, tx) => write(tx, 'mine'));
  expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
  expect(await effects()).toEqual(['mine']);
  expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded', replayed: true });
});

describe('Behind a pooler in transaction mode', () => {
  const pooledUrl = useTransactionPooler(url);

  it.each([true, false])(
    'messages commit with their records, all of them and once, with prepare: %s',
    async (prepare) => {
      const pooled = postgres(pooledUrl(), { fetch_types: false, max: 4, prepare });
      onTestFinished(() => pooled.end({ timeout: 1 }));
      const once = createHandleOnce({ sql: pooled, scope, backoff: () => 0 });
      const keys = Array.from({ length: 20 }, (_, n) => `key-${10 + n}`);
      const deliver = async (key: string): Promise<void> => {
        const outcome = await once
          .inTransaction(key, 'body', (_, __, tx) => write(tx, key))
          .catch(() => undefined);
        if (outcome?.state !== 'succeeded') await deliver(key);
      };
      await Promise.all(keys.map(deliver));
      expect(await effects()).toEqual(keys);
    },
  );
});
