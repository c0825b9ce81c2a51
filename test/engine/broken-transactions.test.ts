import { expectSoon } from '../support/until.ts';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import postgres, { type TransactionSql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { guardedSocket } from '../../adapters/clients/index.ts';
import { storeAnswered } from '../../adapters/shared/store-health.ts';
import { type Attempt, createHandleOnce, type HandleOnce, TerminalError } from '../../src/index.ts';
import { handlesOf } from '../../src/engine/hidden-handles.ts';
import { fromPostgres } from '../../src/postgres/from-postgres.ts';
import { aborted, gate } from '../support/gate.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { usePostgresBench } from './support/bench.ts';

type Tx = TransactionSql;

const bench = usePostgresBench();
const { sql } = bench.database;
let tests = 0;
let scope = '';
let handleOnce: HandleOnce<Tx>;

beforeAll(async () => {
  await sql`create table effects (what text)`;
  await sql`create table accounts (id int primary key, cents int)`;
});

beforeEach(async () => {
  tests += 1;
  scope = `scope-${tests}`;
  handleOnce = createHandleOnce({ sql, scope, backoff: () => 0 });
  await sql`delete from effects`;
});

/** A pool that has lost connections can forget one that it has opened since. */
async function endForgotten(name: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like ${name}`;
}

// Or opens one after its end.
afterAll(() => endForgotten('client-%'));

function client(url = bench.database.url, options: object = {}): postgres.Sql {
  const name = `client-${randomUUID()}`;
  const created = postgres(url, {
    ...{ fetch_types: false, onnotice: () => undefined, connection: { application_name: name } },
    ...options,
  });
  onTestFinished(async () => {
    await created.end({ timeout: 0.1 });
    await endForgotten(name);
  });
  return created;
}

async function write(on: Tx, what: string): Promise<void> {
  await on`insert into effects (what) values (${what})`;
}

function insert(on: Tx, what: string) {
  return on<{ what: string }[]>`insert into effects (what) values (${what}) returning what`;
}

async function effects(): Promise<string[]> {
  return (await sql<{ what: string }[]>`select what from effects order by what`).map(({ what }) => what);
}

async function newPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'handle-once-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return join(directory, 'statement.sql');
}

/** A file that is read when something is written to it. */
async function slowFile(): Promise<string> {
  const path = await newPath();
  execFileSync('mkfifo', [path]);
  return path;
}

const ESCAPED = `insert into effects (what) values ('escaped')`;

describe('A connection that breaks under a handler in a transaction', () => {
  it('aborts its signal at once, and the message is not released before the handler has ended', async () => {
    const ofOne = createHandleOnce({ sql: client(), scope, backoff: () => 0 });
    const broken = gate();
    const end = gate();
    let reason: unknown;
    const first = ofOne.inTransaction('key', 'body', async (_, attempt, tx) => {
      await write(tx, 'gone');
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
      reason = await aborted(attempt.signal);
      broken.open();
      await end.opened;
    });
    await broken.opened;
    expect(reason).toMatchObject({ code: 'STORE', message: expect.stringContaining('has broken') as string });
    const second = vi.fn();
    expect(await handleOnce.inTransaction('key', 'body', second)).toMatchObject({ reason: 'in-flight' });
    end.open();
    expect(await first).toMatchObject({ state: 'pending', reason: 'released' });
    expect(await effects()).toEqual([]);
    expect(await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'done'))).toMatchObject({
      ...{ state: 'succeeded', attempts: 2 },
    });
    expect(await effects()).toEqual(['done']);
  });

  it('has nothing sent on it, nor on the one that takes its place', async () => {
    const own = client(bench.database.url, { max: 2, ...guardedSocket() });
    const once = createHandleOnce({ sql: own, scope, leaseMs: 1_000 });
    const outcome = await once.inTransaction('key', 'body', async (_, { signal }, tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
      await aborted(signal);
    });
    expect(outcome).toMatchObject({ state: 'pending' });
    expect(await own`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

const BROKEN = { code: 'STORE', message: expect.stringContaining('the statement was not sent') as string };

describe.each([
  { max: 1, isGuarded: false },
  { max: 1, isGuarded: true },
  { max: 2, isGuarded: false },
])('After a break, with a pool of $max and guardedSocket $isGuarded,', ({ max, isGuarded }) => {
  /** Runs a handler whose connection breaks at `breakDown`, then a whole one in what takes its place. */
  async function runBoth(
    broken: (tx: Tx, breakDown: () => Promise<void>, signal: AbortSignal) => Promise<unknown>,
  ) {
    const own = client(bench.database.url, { max, ...(isGuarded && guardedSocket()) });
    const ofOwn = createHandleOnce({ sql: own, scope, leaseMs: 5_000, onEvent: () => undefined });
    const [isDown, isReplaced, hasEnded] = [gate(), gate(), gate()];
    const first = ofOwn.inTransaction('broken', 'body', async (_, { signal }, tx) => {
      await write(tx, 'gone');
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const breakDown = async () => {
        await sql`select pg_terminate_backend(${row?.pid ?? 0})`;
        await aborted(signal);
        isDown.open();
        await isReplaced.opened;
      };
      await broken(tx, breakDown, signal).finally(hasEnded.open);
    });
    await isDown.opened;
    const next = ofOwn.inTransaction('whole', 'body', async (_, __, tx) => {
      await write(tx, 'first');
      await tx.savepoint((inner) => write(inner, 'in a savepoint'));
      isReplaced.open();
      await hasEnded.opened;
      // For what the other handler has set off meanwhile.
      await tx`select pg_sleep(0.1)`;
      await write(tx, 'last');
    });
    expect(await next).toMatchObject({ state: 'succeeded' });
    expect(await effects()).toEqual(['first', 'in a savepoint', 'last']);
    expect(await first).toMatchObject({ state: 'pending', reason: 'released' });
  }

  it('a savepoint that throws takes nothing back in the transaction of another', async () => {
    await runBoth((tx, breakDown, signal) =>
      tx.savepoint(async (inner) => {
        await write(inner, 'gone too');
        await breakDown();
        signal.throwIfAborted();
      }),
    );
  });

  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['a statement', (tx) => write(tx, 'escaped')],
    ['a text', (tx) => tx.unsafe(`insert into effects (what) values ('escaped')`)],
    ['a savepoint', (tx) => tx.savepoint((inner) => write(inner, 'escaped'))],
    [
      'a cursor',
      (tx) => tx`insert into effects (what) values ('escaped') returning what`.cursor(() => undefined),
    ],
  ])('%s of the handler is rejected, and not sent', async (_, send) => {
    await runBoth(async (tx, breakDown) => {
      await breakDown();
      await expect(send(tx)).rejects.toMatchObject(BROKEN);
    });
  });

  it('a statement in a savepoint that has begun is rejected, and not sent', async () => {
    await runBoth((tx, breakDown) =>
      tx.savepoint(async (inner) => {
        await breakDown();
        await expect(write(inner, 'escaped')).rejects.toMatchObject(BROKEN);
        await expect(inner.savepoint((innermost) => write(innermost, 'escaped'))).rejects.toMatchObject(
          BROKEN,
        );
      }),
    );
  });

  it('a file that is read by then is not sent', async () => {
    await runBoth(async (tx, breakDown) => {
      const path = await slowFile();
      const sending = expect(tx.file(path)).rejects.toMatchObject(BROKEN);
      await breakDown();
      await writeFile(path, ESCAPED);
      await sending;
    });
  });

  it('a cursor asks for no more rows', async () => {
    await runBoth(async (tx, breakDown) => {
      const reading = (async () => {
        for await (const rows of tx`select generate_series(1, 9)`.cursor(3)) {
          expect(rows).toHaveLength(3);
          await breakDown();
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    });
  });
});

describe.each([{ isGuarded: false }, { isGuarded: true }])(
  'While a connection breaks, with guardedSocket $isGuarded,',
  ({ isGuarded }) => {
    /** Runs a handler whose connection breaks during `busy`, a statement that has no answer by then. */
    async function runBroken(handler: (tx: Tx, busy: Promise<unknown>) => Promise<unknown>) {
      const own = client(bench.database.url, { max: 2, ...(isGuarded && guardedSocket()) });
      const ofOwn = createHandleOnce({ sql: own, scope, leaseMs: 3_000 });
      const outcome = await ofOwn.inTransaction('key', 'body', async (_, __, tx) => {
        await write(tx, 'gone');
        const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        const pid = row?.pid ?? 0;
        const busy = tx`select pg_sleep(${60})`.execute();
        const breaking = vi.waitFor(async () => {
          const [ended] = await sql<{ ended: boolean }[]>`select pg_terminate_backend(pid) as ended
            from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`;
          expect(ended).toEqual({ ended: true });
        }, 10_000);
        try {
          await handler(tx, busy);
        } finally {
          await breaking;
        }
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
      expect(await effects()).toEqual([]);
    }

    it('a statement of a handler that has just heard of it is rejected', async () => {
      await runBroken(async (tx, busy) => {
        await busy.catch(() => undefined);
        await expect(tx`select ${1}::int`).rejects.toMatchObject(BROKEN);
      });
    });

    it('a savepoint of a handler that has just heard of it is rejected', async () => {
      await runBroken(async (tx, busy) => {
        await busy.catch(() => undefined);
        await expect(tx.savepoint((inner) => write(inner, 'escaped'))).rejects.toMatchObject(BROKEN);
      });
    });

    it('the record of a handler that hides it is not settled in its transaction', async () => {
      await runBroken((_, busy) => busy.catch(() => undefined));
    });

    it.each<[string, (tx: Tx) => PromiseLike<unknown>]>([
      ['a statement', (tx) => write(tx, 'escaped')],
      ['a text', (tx) => tx.unsafe(ESCAPED)],
      ['a simple one', (tx) => tx`select 1`.simple()],
      ['one that is executed', (tx) => tx`select ${1}::int`.execute()],
      ['raw rows', (tx) => tx`select ${1}::int`.raw()],
      ['values', (tx) => tx`select ${1}::int`.values()],
      ['a description', (tx) => tx`select ${1}::int`.describe()],
      ['one for each row', (tx) => tx`select ${1}::int`.forEach(() => undefined)],
      ['a cursor', (tx) => tx`select ${1}::int`.cursor(() => undefined)],
      ['an iteration', (tx) => tx`select ${1}::int`.cursor(1)[Symbol.asyncIterator]().next()],
      ['a savepoint', (tx) => tx.savepoint((inner) => write(inner, 'escaped'))],
      ['a stream', (tx) => tx`copy effects to stdout`.readable()],
      [
        'a file',
        async (tx) => {
          const path = await newPath();
          await writeFile(path, ESCAPED);
          await tx.file(path);
        },
      ],
    ])('%s that waits behind another statement is rejected', async (_, send) => {
      await runBroken(async (tx, busy) => {
        busy.catch(() => undefined);
        // The client sends the first while it waits, and holds back the others.
        const sent = [tx`select ${2}::int`, tx`select ${3}::int`, send(tx), send(tx)];
        const [first, ...others] = await Promise.allSettled(sent);
        expect(first).toMatchObject({ reason: { code: 'CONNECTION_CLOSED' } });
        for (const other of others) expect(other).toMatchObject({ reason: BROKEN });
      });
    });

    it('a savepoint for which nobody waits does not end the process', async () => {
      await runBroken(async (tx, busy) => {
        void tx.savepoint((inner) => write(inner, 'escaped'));
        await busy;
      });
    });
  },
);

describe('The transaction of a handler', () => {
  it('takes all that one of postgres takes', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await tx`insert into effects ${tx([{ what: 'a' }, { what: 'b' }])}`;
      await tx`insert into ${tx('effects')} (what) select ${tx.json({ c: 1 })}::json ->> 'c'`;
      await tx.savepoint('named', (inner) => [inner`insert into effects values ('d')`]);
      await (tx.savepoint as unknown as Tx)`insert into effects values (${'f'})`;
      const undone = tx.savepoint(async (inner) => {
        await write(inner, 'undone');
        throw new RangeError('undone');
      });
      await expect(undone).rejects.toThrow(RangeError);
      const seen: string[] = [];
      const all = tx<
        { what: string }[]
      >`select what from effects where what = any(${tx.array(['a', 'd'])}) order by 1`;
      await all.forEach(({ what }) => seen.push(what));
      const condition = tx`where what = ${'b'}`;
      for await (const rows of tx<{ what: string }[]>`select what from effects ${condition}`.cursor(1)) {
        seen.push(...rows.map(({ what }) => what));
      }
      const path = await newPath();
      await writeFile(path, 'insert into effects values ($1) returning what');
      const [added] = await tx.file<{ what: string }[]>(path, ['e']);
      seen.push(added?.what ?? '');
      await expect(tx.file(`${path}.not`)).rejects.toMatchObject({ code: 'ENOENT' });
      return seen;
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: ['a', 'd', 'b', 'e'] });
    expect(await effects()).toEqual(['1', 'a', 'b', 'd', 'e', 'f']);
  });

  it.each<[string, (tx: Tx) => unknown]>([
    ['an array of queries', (tx) => [insert(tx, 'a'), insert(tx, 'b')]],
    ['a promise of an array of queries', (tx) => Promise.resolve([insert(tx, 'a'), insert(tx, 'b')])],
  ])('runs %s that the handler returns, and their rows are on record', async (_, handler) => {
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => handler(tx));
    expect(outcome).toMatchObject({ state: 'succeeded', result: [[{ what: 'a' }], [{ what: 'b' }]] });
    expect(await effects()).toEqual(['a', 'b']);
    const { result } = (await bench.record(scope, 'key')) ?? {};
    expect(result).toBe('[[{"what":"a"}],[{"what":"b"}]]');
  });

  it('runs a query that the handler returns', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => insert(tx, 'a'));
    expect(outcome).toMatchObject({ state: 'succeeded', result: [{ what: 'a' }] });
    expect(await effects()).toEqual(['a']);
  });

  it('is rolled back where one of the queries that the handler returns fails', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => [
      insert(tx, 'a'),
      tx`select 1 / 0`,
    ]);
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '22012' } });
    expect(await effects()).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['throws', () => expect.unreachable('on purpose')],
    ['returns', () => undefined],
  ])('sends no file that is read when the handler %s', async (_, end) => {
    const path = await slowFile();
    let sending: Promise<unknown> | undefined;
    await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'own');
      sending = tx.file(path).execute();
      end();
    });
    await writeFile(path, ESCAPED);
    await expect(sending).rejects.toThrow(/the transaction has ended: the statement was not sent/);
    expect(await effects()).not.toContain('escaped');
  });

  it('with a savepoint that has not ended when the handler returns does not end the process', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', (_, __, tx) => {
      void tx.savepoint((inner) => write(inner, 'late'));
    });
    expect(outcome).toMatchObject({ state: 'succeeded' });
    expect(await effects()).toEqual([]);
  });

  it('fails with the error of its handler, though its connection breaks before the rollback', async () => {
    const ofOne = createHandleOnce({ sql: client(), scope, backoff: () => 0 });
    const outcome = await ofOne.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'gone');
      void tx`select pg_terminate_backend(pg_backend_pid())`.execute().catch(() => undefined);
      await nextTurn();
      throw new TerminalError('of the handler');
    });
    expect(outcome).toMatchObject({ state: 'failed', error: { message: 'of the handler' } });
    expect(await effects()).toEqual([]);
  });

  it('fails with the first error of its statements, where the handler throws that of a later one', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await tx`select 1 / 0`.catch(() => undefined);
      await write(tx, 'refused');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '22012' } });
  });

  it.each([false, true])('sends a notification with its COMMIT, from a savepoint: %s', async (isInner) => {
    const heard: string[] = [];
    const listener = await sql.listen('news', (text) => heard.push(text));
    const notify = async (tx: Tx, text: string) => {
      if (isInner) await tx.savepoint((inner) => inner.notify('news', text));
      else await tx.notify('news', text);
    };
    await handleOnce.inTransaction('undone', 'body', async (_, __, tx) => {
      await notify(tx, 'undone');
      throw new Error('undone');
    });
    let late: Tx | undefined;
    await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      late = tx;
      await notify(tx, 'news');
      await sql.notify('news', 'beside');
    });
    await expect((late as Tx).notify('news', 'late')).rejects.toThrow(/the transaction has ended/);
    await sql.notify('news', 'last');
    await expect.poll(() => heard).toContain('last');
    expect(heard).toEqual(['beside', 'news', 'last']);
    await listener.unlisten();
  });

  it('refuses to be prepared', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'gone');
      void tx.prepare('of the handler');
    });
    const message = expect.stringMatching(/a transaction of inTransaction cannot be prepared/) as string;
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { message } });
    expect(await effects()).toEqual([]);
  });

  it('refuses a statement that is sent after its end', async () => {
    let late: Tx | undefined;
    await handleOnce.inTransaction('key', 'body', (_, __, tx) => {
      late = tx;
    });
    await expect(write(late as Tx, 'late')).rejects.toThrow(
      /the transaction has ended: the statement was not sent/,
    );
    expect(await effects()).toEqual([]);
  });
});

describe('A client whose begin rejects while the handler runs', () => {
  it('has the signal aborted, and the message released when the handler has ended', async () => {
    const whole = fromPostgres(sql);
    const hasty = createHandleOnce({
      sql: {
        ...whole,
        begin: async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
          const hasBegun = gate();
          const begun = whole.begin(async (tx) => {
            hasBegun.open();
            return await work(tx);
          });
          begun.catch(() => undefined);
          await hasBegun.opened;
          throw Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' });
        },
      },
      scope,
      backoff: () => 0,
    });
    const [isAborted, end] = [gate(), gate()];
    const first = hasty.inTransaction('key', 'body', async (_, { signal }) => {
      await aborted(signal);
      isAborted.open();
      await end.opened;
      signal.throwIfAborted();
    });
    await isAborted.opened;
    expect(await handleOnce.inTransaction('key', 'body', vi.fn())).toMatchObject({ reason: 'in-flight' });
    end.open();
    expect(await first).toMatchObject({ state: 'pending', reason: 'released' });
  });
});

describe('A connection that hangs', () => {
  it('costs one lease: the call answers unrecorded, and the message runs elsewhere', async () => {
    const server = new URL(bench.database.url);
    const proxy = await tcpProxy({ host: server.hostname, port: Number(server.port) });
    onTestFinished(() => proxy.cut());
    const url = Object.assign(new URL(bench.database.url), { port: String(proxy.port) }).href;
    const hanging = createHandleOnce({ sql: client(url), scope, leaseMs: 1_000 });
    const outcome = await hanging.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'hung');
      proxy.silence();
      await write(tx, 'never arrives');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'unrecorded', attempts: 1 });
    // Its connection hung, as a handler can that ignores its timeout: of the store that says nothing.
    expect(storeAnswered(outcome)).toBeUndefined();
    expect(hanging.counts()).toMatchObject({ claimed: 1, unrecorded: 1 });
    await vi.waitFor(async () => {
      const next = await handleOnce.inTransaction('key', 'body', (_, __, tx) => write(tx, 'done'));
      expect(next).toMatchObject({ state: 'succeeded', attempts: 2 });
    }, 10_000);
    expect(await effects()).toEqual(['done']);
  });

  it('before the transaction got it costs no attempt, and the handlers do not start later', async () => {
    const one = client(bench.database.url, { max: 1 });
    const free = gate();
    const holding = one.begin(() => free.opened);
    // Claims and heartbeats have connections, transactions have to wait for the one.
    const transactions = fromPostgres(one);
    const starved = createHandleOnce({
      sql: Object.assign(fromPostgres(sql), { begin: transactions.begin.bind(transactions) }),
      ...{ scope, leaseMs: 1_500 },
    });
    const handler = vi.fn();
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const outcomes = await Promise.all(keys.map((key) => starved.inTransaction(key, 'body', handler)));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ state: 'pending' });
    free.open();
    await holding;
    // Behind all those that waited for the connection.
    await one`select 1`;
    expect(handler).not.toHaveBeenCalled();
    await vi.waitFor(async () => {
      for (const key of keys) {
        expect(await handleOnce.inTransaction(key, 'body', () => key)).toMatchObject({ attempts: 1 });
      }
    }, 20_000);
  });
});

describe('A transaction that cannot begin', () => {
  it('costs no attempt, and its message comes again a second later', async () => {
    const full = fromPostgres(sql);
    const refused = Object.assign(new Error('too many connections'), { code: '53300' });
    const starved = createHandleOnce({
      sql: Object.assign(full, { begin: () => Promise.reject(refused) }),
      ...{ scope, maxAttempts: 1 },
    });
    const handler = vi.fn();
    expect(await starved.inTransaction('key', 'body', handler)).toMatchObject({
      ...{ state: 'pending', reason: 'released', retryAfterMs: 1_000, attempts: 0 },
    });
    expect(handler).not.toHaveBeenCalled();
    expect(await bench.record(scope, 'key')).toMatchObject({ attempts: 0, failures: 0 });
  });

  it('before its attempt is over costs no attempt either', async () => {
    const starved = createHandleOnce({
      sql: Object.assign(fromPostgres(sql), { begin: () => new Promise(() => undefined) }),
      ...{ scope, timeoutMs: 10 },
    });
    expect(await starved.inTransaction('key', 'body', vi.fn())).toMatchObject({ reason: 'unrecorded' });
    await vi.waitFor(async () => {
      expect(await bench.record(scope, 'key')).toMatchObject({ owned: false, attempts: 0 });
    });
  });
});

describe('A transaction whose handler has caught the error of a statement', () => {
  it('is rolled back, and its error says which statement to look for', async () => {
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      await write(tx, 'gone');
      await tx`insert into accounts (id) values (null)`.catch(() => undefined);
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(outcome).toHaveProperty(
      'error.message',
      expect.stringMatching(/earlier statement of the transaction failed.*caught or not awaited.*25P02/),
    );
    expect(await effects()).toEqual([]);
  });
});

describe('A transaction that the database gives up for the sake of another', () => {
  /** What the server says where two transactions cannot both be done. */
  const conflict = (tx: Tx, code = '40001') =>
    tx.unsafe(`do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`);

  it.each(['40001', '40P01'])('with %s runs again within its attempt', async (code) => {
    let runs = 0;
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, { number }, tx) => {
      runs += 1;
      await write(tx, `run ${runs} of attempt ${number}`);
      if (runs < 3) await conflict(tx, code);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await effects()).toEqual(['run 3 of attempt 1']);
    expect(await bench.record(scope, 'key')).toMatchObject({ state: 'succeeded', attempts: 1, failures: 0 });
  });

  it('at its commit runs again too', async () => {
    await sql`create or replace function refuse() returns trigger language plpgsql as $$
      begin
        if (select count(*) from handle_once.records where scope = 'refused') = 0 then
          raise exception 'conflict' using errcode = '40001';
        end if;
        return new;
      end $$`;
    await sql`create constraint trigger at_commit after insert on accounts
      deferrable initially deferred for each row execute function refuse()`;
    let runs = 0;
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      runs += 1;
      await tx`insert into accounts values (1, ${runs})`;
      if (runs === 2) await createHandleOnce({ sql, scope: 'refused' })('key', 'body', () => 1);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await sql`select cents from accounts`).toEqual([{ cents: 2 }]);
  });

  it.each([
    {},
    { fingerprint: false as const },
    { fingerprint: () => 'one part' },
    { ignoredFields: ['/cents'] },
  ])('does not run again with a payload that its handler has changed: %j', async (options) => {
    let runs = 0;
    const handler = async (order: { cents: number }, __: Attempt, tx: Tx): Promise<void> => {
      runs += 1;
      order.cents += 19;
      await write(tx, `${order.cents}`);
      await conflict(tx);
    };
    const outcome = await handleOnce.inTransaction('key', { cents: 100 }, handler, options);
    const error = { message: expect.stringContaining('the handler has changed its payload') as string };
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1, error });
    expect(runs).toBe(1);
    expect(await effects()).toEqual([]);
  });

  it('runs again without another turn: its attempt has begun', async () => {
    const mayStart = vi.fn(() => Promise.resolve(false)).mockResolvedValueOnce(true);
    let runs = 0;
    const outcome = await handlesOf(handleOnce).inTransaction?.({
      ...{ key: 'key', content: 'body', payload: 'body', mayStart },
      async handler(_, __, tx) {
        runs += 1;
        if (runs === 1) await conflict(tx as Tx);
      },
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(mayStart).toHaveBeenCalledOnce();
  });

  it('six times is released, and has failed once', async () => {
    let runs = 0;
    const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
      runs += 1;
      await conflict(tx);
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { code: '40001' } });
    expect(runs).toBe(6);
    expect(await bench.record(scope, 'key')).toMatchObject({ attempts: 1, failures: 1 });
  });
});

describe('A handler that ends its transaction itself', () => {
  it.each(['rollback', 'commit'])(
    'by %s has failed, and nothing says that it succeeded',
    async (statement) => {
      const outcome = await handleOnce.inTransaction('key', 'body', async (_, __, tx) => {
        await write(tx, 'effect');
        await tx`select pg_sleep(0.05)`;
        await tx.unsafe(statement);
      });
      expect(outcome).toMatchObject({
        state: 'pending',
        reason: 'released',
        error: { message: expect.stringContaining('rolled back its transaction itself') as string },
      });
      expect(await bench.record(scope, 'key')).toMatchObject({ state: 'pending' });
    },
  );

  it('is found out after work of half a millisecond, once the settle has been parsed', async () => {
    let key = 0;
    await expectSoon(async () => {
      const outcome = await handleOnce.inTransaction(`key-${(key += 1)}`, 'body', async (_, __, tx) => {
        await write(tx, 'effect');
        await tx.unsafe('rollback');
        const begun = performance.now();
        while (performance.now() - begun < 0.5);
      });
      expect(outcome).toMatchObject({ reason: 'released' });
      expect(await bench.record(scope, `key-${key}`)).toMatchObject({ state: 'pending', owned: false });
    });
  });
});
