import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, Kysely, type KyselyPlugin, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { fromKysely } from '../../adapters/clients/index.ts';
import type { DatabaseQueries } from '../../src/index.ts';
import { endOf } from '../../src/postgres/ended.ts';
import { useDatabase } from '../support/database.ts';
import { clientContract } from './contract.ts';
import type { Library } from './library.ts';

interface Tables {
  handle_once_effects: { id: string };
}

function connect(connectionString: string): Kysely<Tables> {
  const pool = new pg.Pool({ connectionString });
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

function open(url: string): Library<Transaction<Tables>> {
  const db = connect(url);
  return {
    client: fromKysely(db),
    insert: (transaction, id) => transaction.insertInto('handle_once_effects').values({ id }).execute(),
    close: () => db.destroy(),
  };
}

clientContract('Kysely', open);

const { url } = useDatabase();

test.each<[how: string, late: (transaction: Transaction<Tables>) => Promise<unknown>]>([
  ['without plugins', (tx) => insertLate(tx.withoutPlugins())],
  ['with a schema', (tx) => insertLate(tx.withSchema('public'))],
  ['with a schema, compiled', (tx) => tx.withSchema('public').executeQuery(LATE)],
  ['by its executor', (tx) => tx.getExecutor().executeQuery(LATE)],
  ['by an executor without plugins', (tx) => tx.withoutPlugins().getExecutor().executeQuery(LATE)],
  ['by its connection', (tx) => tx.getExecutor().provideConnection((on) => on.executeQuery(LATE))],
])('a statement after the end of the work is refused: %s', async (_, late) => {
  const db = connect(url);
  const client = fromKysely(db);
  await client.execute('create table if not exists handle_once_effects (id text not null)');
  let repeated: Promise<void> | undefined;
  const begun = client.begin((transaction) => {
    // Kysely itself refuses it only once it has ended the transaction.
    repeated = inTurns(() => late(transaction));
    return Promise.reject(new Error('the handler throws'));
  });
  await expect(begun).rejects.toThrow('the handler throws');
  await repeated;
  const { rows } = await db.executeQuery(CompiledQuery.raw('select id from handle_once_effects'));
  expect(rows).toEqual([]);
  await db.destroy();
});

const LATE = CompiledQuery.raw("insert into handle_once_effects values ('late')");

async function inTurns(send: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
    await endOf(async () => await send());
  }
}

function insertLate(on: Kysely<Tables>): Promise<unknown> {
  return on.insertInto('handle_once_effects').values({ id: 'late' }).execute();
}

const INTERFERING: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) =>
    Promise.resolve({ ...result, rows: result.rows.map((row) => ({ ...row, added: undefined })) }),
};

test('plugins change what handlers read, and not what the records do', async () => {
  const db = connect(url).withPlugin(INTERFERING);
  const client = fromKysely(db);
  const read = (on: DatabaseQueries) => on.query('select null as empty, 1 as one', []);
  expect(await read(client)).toEqual([[null, '1']]);
  await client.begin(async (transaction) => {
    expect(await read(client.in(transaction))).toEqual([[null, '1']]);
    const { rows } = await transaction.executeQuery(CompiledQuery.raw('select 1 as one'));
    expect(rows).toEqual([{ one: 1, added: undefined }]);
  });
  await db.destroy();
});

test('a transaction in place of a Kysely is refused with words', async () => {
  const db = connect(url);
  await db.transaction().execute((transaction) => {
    expect(() => fromKysely(transaction as never)).toThrow(
      /fromKysely: db: must be a Kysely, not one of its trans/,
    );
    return Promise.resolve();
  });
  await db.destroy();
});
