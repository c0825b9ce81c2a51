import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { fromKysely } from '../../adapters/clients/index.ts';
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

test('a compiled query after the end of the work is refused too', async () => {
  const db = connect(url);
  const client = fromKysely(db);
  const { begun, late } = await client.begin((transaction) =>
    Promise.resolve({ begun: transaction, late: CompiledQuery.raw('select 1') }),
  );
  await expect(begun.executeQuery(late)).rejects.toMatchObject({ code: 'STORE' });
  await db.destroy();
});

test('a transaction in place of a Kysely is refused with words', async () => {
  const db = connect(url);
  await db.transaction().execute((transaction) => {
    expect(() => fromKysely(transaction as never)).toThrow(/fromKysely: db: must be a Kysely, not a trans/);
    return Promise.resolve();
  });
  await db.destroy();
});
