import { DataSource, type EntityManager, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromTypeOrm } from '../../adapters/clients/index.ts';
import { createHandleOnce, type DatabaseClient, type HandleOnce, migrate } from '../../src/index.ts';
import { useDatabase, useEmptyDatabase } from '../support/database.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { clientContract } from './contract.ts';
import { failuresOf } from '../../testing/contracts/client/failures.ts';
import type { Library } from './library.ts';

async function open(url: string): Promise<Library<EntityManager>> {
  const dataSource = new DataSource({ type: 'postgres', url });
  // It connects at once. One that could not must fail like any database that cannot be reached.
  await dataSource.initialize().catch(() => undefined);
  return {
    client: fromTypeOrm(dataSource),
    insert: (manager, id) => manager.query('insert into handle_once_effects (id) values ($1)', [id]),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

clientContract('TypeORM', open);

const { url } = useDatabase();

test('a database that goes away can be asked again', async () => {
  const through = new URL(url);
  const proxy = await tcpProxy({ host: through.hostname, port: Number(through.port) });
  through.host = `127.0.0.1:${proxy.port}`;
  const library = await open(through.href);
  await proxy.cut();
  const errors = await failuresOf(library.client, 'handle_once', 'text');
  await library.close();
  for (const error of errors) expect(error).toMatchObject({ code: 'STORE', retriable: true });
});

test('a transaction with one in it that is open ends as a whole', async () => {
  const extra = { max: 1, query_timeout: 1_000 };
  const dataSource = await new DataSource({ type: 'postgres', url, extra }).initialize();
  const client = fromTypeOrm(dataSource);
  await dataSource.query('create table nested (id text)');
  const insert = (on: EntityManager, id: string) => on.query('insert into nested values ($1)', [id]);
  await client.begin(async (manager) => {
    await insert(manager, 'committed');
    manager.transaction((inner) => inner.query('select pg_sleep(0.05)')).catch(() => undefined);
    await manager.query('select');
  });
  const timedOut = client.begin(async (manager) => {
    await insert(manager, 'rolled back');
    await manager.transaction((inner) => inner.query('select pg_sleep(2)'));
  });
  await expect(timedOut).rejects.toThrow(/read timeout/);
  await client.begin((manager) => insert(manager, 'next'));
  expect(await dataSource.query('select id from nested')).toEqual([{ id: 'committed' }, { id: 'next' }]);
  await dataSource.destroy();
});

describe('with a subscriber', () => {
  const database = useEmptyDatabase();
  const subscriber: EntitySubscriberInterface = {};
  let dataSource: DataSource;
  let client: DatabaseClient<EntityManager>;
  let handleOnce: HandleOnce<EntityManager>;
  const notes = async () => {
    const rows: { id: string }[] = await database.sql`select id from notes order by id`;
    return rows.map(({ id }) => id);
  };
  const openTransactions = async () => {
    const open =
      await database.sql`select from pg_stat_activity where state like 'idle in%' and datname = current_database()`;
    return open.length;
  };
  const ofHandlers = new WeakSet<object>();
  /** Once, in the transaction of a handler: those of `explain` have subscribers too. */
  const once = (write: (tx: EntityManager) => Promise<unknown>) => {
    let isOver = false;
    return async ({ manager, queryRunner }: { manager: EntityManager; queryRunner: QueryRunner }) => {
      if (isOver || !ofHandlers.has(queryRunner)) return;
      isOver = true;
      await write(manager);
    };
  };
  const handle = (key: string, handler = (tx: EntityManager) => note(tx, 'handler')) =>
    handleOnce.inTransaction(key, {}, async (_, __, tx) => {
      ofHandlers.add(tx.queryRunner as QueryRunner);
      await handler(tx);
    });
  const note = (on: Pick<EntityManager, 'query'>, id: string) =>
    on.query('insert into notes values ($1)', [id]);

  beforeAll(async () => {
    dataSource = await new DataSource({
      type: 'postgres',
      url: database.url,
      extra: { max: 2 },
    }).initialize();
    dataSource.subscribers.push(subscriber);
    client = fromTypeOrm(dataSource);
    await migrate(client);
    await dataSource.query('create table notes (id text)');
    handleOnce = createHandleOnce({
      sql: client,
      scope: 'subscribed',
      backoff: () => 0,
      onEvent: () => undefined,
    });
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    for (const name of Object.keys(subscriber)) Reflect.deleteProperty(subscriber, name);
    await database.sql`truncate notes`;
  });

  test('what it writes before the COMMIT belongs to the transaction', async () => {
    subscriber.beforeTransactionCommit = once(async (manager) => {
      await note(manager.queryRunner as QueryRunner, 'by the runner');
      await note(manager, 'by the manager');
    });
    expect(await handle('before')).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['by the manager', 'by the runner', 'handler']);
  });

  test('one that throws before the COMMIT has the message run again', async () => {
    subscriber.beforeTransactionCommit = () => Promise.reject(new Error('the veto'));
    const first = await handleOnce.inTransaction('veto', {}, (_, __, tx) => note(tx, 'first'));
    expect(first).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'the veto' } });
    expect(await notes()).toEqual([]);
    delete subscriber.beforeTransactionCommit;
    const second = await handleOnce.inTransaction('veto', {}, (_, __, tx) => note(tx, 'second'));
    expect(second).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await notes()).toEqual(['second']);
  });

  test('what it writes after the COMMIT is written by itself', async () => {
    subscriber.afterTransactionCommit = once((tx) => note(tx, 'after'));
    expect(await handle('after')).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['after', 'handler']);
  });

  test.each<[what: string, fail: (tx: EntityManager) => Promise<unknown>]>([
    ['throws', () => Promise.reject(new Error('too late'))],
    ['sends what the server refuses', (tx) => tx.query('select 1/0')],
    [
      'meets a conflict',
      (tx) => tx.query("do $$ begin raise exception 'conflict' using errcode = '40001'; end $$"),
    ],
  ])('one that %s after the COMMIT changes nothing', async (what, fail) => {
    subscriber.afterTransactionCommit = once(fail);
    const outcome = await handle(`too late: ${what}`);
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['handler']);
  });

  test.each<[what: string, begin: (tx: EntityManager) => Promise<unknown>]>([
    ['the manager', (tx) => tx.transaction((inner) => note(inner, 'after'))],
    [
      'the runner',
      async ({ queryRunner }) => {
        await queryRunner?.startTransaction();
        await queryRunner?.query("insert into notes values ('after')");
        await queryRunner?.commitTransaction();
      },
    ],
  ])('a transaction that it begins after the COMMIT by %s is committed by itself', async (what, begin) => {
    subscriber.afterTransactionCommit = once(begin);
    const outcome = await handle(`after by ${what}`);
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['after', 'handler']);
    await expect.poll(openTransactions).toBe(0);
  });

  test.each<[what: string, begin: (tx: EntityManager) => Promise<unknown> | undefined]>([
    ['the runner', (tx) => tx.queryRunner?.startTransaction()],
    ['a statement', (tx) => tx.query('begin')],
    ['a statement after another', (tx) => tx.query('begin; commit').then(() => tx.query('BEGIN;'))],
    ['a statement behind a comment', (tx) => tx.query('/* audit */ begin')],
    ['two in one text', (tx) => tx.query('select 1; start transaction')],
    ['a chain', (tx) => tx.query('begin; commit and chain')],
  ])(
    'a transaction that it begins after the COMMIT by %s and leaves open is rolled back',
    async (what, begin) => {
      subscriber.afterTransactionCommit = once(async (tx) => {
        await begin(tx);
        await note(tx, 'after');
      });
      const outcome = await handle(`left open by ${what}`);
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
      expect(await notes()).toEqual(['handler']);
      await expect.poll(openTransactions).toBe(0);
    },
  );

  test.each<[what: string, beforeCommit: (tx: EntityManager) => Promise<unknown>, error: string]>([
    [
      'refuses',
      async (tx) => {
        await tx.transaction((inner) => note(inner, 'nested'));
        throw new Error('the veto');
      },
      'the veto',
    ],
    [
      'sends what the server refuses',
      async (tx) => {
        await tx.transaction((inner) => note(inner, 'nested'));
        await tx.query('select 1/0');
      },
      'division by zero',
    ],
  ])('one that nests a transaction and then %s has all rolled back', async (what, beforeCommit, error) => {
    subscriber.beforeTransactionCommit = once(beforeCommit);
    const outcome = await handle(`nests, ${what}`);
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(outcome).toHaveProperty('error.message', expect.stringContaining(error));
    expect(await notes()).toEqual([]);
    await expect.poll(openTransactions).toBe(0);
  });

  test('one that nests a transaction that fails, and catches that, has the rest committed', async () => {
    subscriber.beforeTransactionCommit = once(async (tx) => {
      const nested = tx.transaction(async (inner) => {
        await note(inner, 'undone');
        throw new Error('nested');
      });
      await nested.catch(() => undefined);
      await note(tx, 'subscriber');
    });
    const outcome = await handle('nested fails');
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['handler', 'subscriber']);
  });

  test('one that nests a transaction before the ROLLBACK has it rolled back too', async () => {
    subscriber.beforeTransactionCommit = once(() => Promise.reject(new Error('the veto')));
    subscriber.beforeTransactionRollback = once((tx) => tx.transaction((inner) => note(inner, 'nested')));
    const outcome = await handle('nested at its end');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'the veto' } });
    expect(await notes()).toEqual([]);
    await expect.poll(openTransactions).toBe(0);
  });

  test.each<[what: string, end: (tx: EntityManager) => Promise<unknown> | undefined]>([
    ['the runner', (tx) => tx.queryRunner?.rollbackTransaction()],
    ['a statement', (tx) => tx.query('rollback')],
    ['another statement', (tx) => tx.query('ROLLBACK WORK;')],
  ])('one that rolls back itself by %s has the message run again', async (what, end) => {
    subscriber.beforeTransactionCommit = once(async (tx) => end(tx));
    const outcome = await handle(`undone by ${what}`);
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 1 });
    expect(await notes()).toEqual([]);
  });

  test('one that refuses is heard while a transaction in that of the handler is open', async () => {
    let inner: Promise<unknown> | undefined;
    subscriber.beforeTransactionCommit = once(async () => {
      await inner;
      throw new Error('the veto');
    });
    const outcome = await handle('open, refused', async (tx) => {
      await note(tx, 'handler');
      inner = tx.transaction((nested) => note(nested, 'nested'));
      await tx.query('select');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'the veto' } });
    await expect(inner).resolves.toBeDefined();
    expect(await notes()).toEqual([]);
  });

  test('one that saves after the COMMIT does while a transaction in that of the handler is open', async () => {
    subscriber.afterTransactionCommit = once((tx) => tx.transaction((inner) => note(inner, 'after')));
    const outcome = await handle('open, saved', async (tx) => {
      await tx.queryRunner?.startTransaction();
      await note(tx, 'handler');
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['after', 'handler']);
    await expect.poll(openTransactions).toBe(0);
  });

  test('ones that throw after the START and before the ROLLBACK leave no transaction open', async () => {
    subscriber.afterTransactionStart = () => Promise.reject(new Error('of the start'));
    subscriber.beforeTransactionRollback = () => Promise.reject(new Error('of the rollback'));
    await expect(client.begin((tx) => note(tx, 'never'))).rejects.toThrow('of the start');
    await expect.poll(openTransactions).toBe(0);
  });

  test('one that throws before the ROLLBACK leaves no transaction open', async () => {
    subscriber.beforeTransactionRollback = () => Promise.reject(new Error('of the subscriber'));
    const undone = client.begin(async (tx) => {
      await note(tx, 'undone');
      throw new Error('of the handler');
    });
    await expect(undone).rejects.toThrow('of the handler');
    await expect.poll(openTransactions).toBe(0);
  });

  test.each<[what: string, release: (tx: EntityManager) => Promise<void> | undefined]>([
    ['the runner', (tx) => tx.queryRunner?.release()],
    ['the manager', (tx) => tx.release()],
  ])('a handler that releases %s keeps its transaction', async (what, release) => {
    const outcome = await handleOnce.inTransaction(what, {}, async (_, __, tx) => {
      await note(tx, 'one');
      await release(tx);
      await note(tx, 'two');
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(await notes()).toEqual(['one', 'two']);
  });

  test('a connection that TypeORM asks its runner for is guarded, as for a stream', async () => {
    let connection: { query(text: string): Promise<unknown> } | undefined;
    const undone = client.begin(async (tx) => {
      connection = (await tx.queryRunner?.connect()) as typeof connection;
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await expect(connection?.query('select')).rejects.toMatchObject({ code: 'STORE' });
  });
});

test('a data source that is destroyed meanwhile waits for the transaction', async () => {
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  await dataSource.query('create table destroyed (id text)');
  let destroyed: Promise<void> | undefined;
  await fromTypeOrm(dataSource).begin(async (tx) => {
    const { queryRunner } = tx as { queryRunner: QueryRunner };
    const release = queryRunner.release.bind(queryRunner);
    let asked = 0;
    queryRunner.release = async () => {
      if ((asked += 1) > 10) throw new Error('it asks without an end');
      await release();
    };
    destroyed = dataSource.destroy();
    destroyed.catch(() => undefined);
    await tx.query("insert into destroyed values ('committed')");
  });
  await destroyed;
  await dataSource.initialize();
  expect(await dataSource.query('select id from destroyed')).toEqual([{ id: 'committed' }]);
  await dataSource.destroy();
});

test('an entity manager in place of a data source is refused with words', async () => {
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  expect(() => fromTypeOrm(dataSource.manager as never)).toThrow(
    /fromTypeOrm: dataSource: must be a DataSource, not an EntityManager/,
  );
  await dataSource.destroy();
});
