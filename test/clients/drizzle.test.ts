import { drizzle as drizzleOnNodePostgres } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { fromDrizzle } from '../../adapters/clients/index.ts';
import { clientContract as clientCases } from '../../testing/contracts/index.ts';
import { fullStoreContract, testAll } from '../store/contract.ts';
import { useDatabase, useEmptyDatabase } from '../support/database.ts';
import { controlledPostgresStore } from '../store/postgres/controlled-store.ts';
import { clientContract, useLibrary } from './contract.ts';
import type { Library } from './library.ts';

const effects = pgTable('handle_once_effects', { id: text().notNull() });

function connect(connectionString: string) {
  const pool = new pg.Pool({ connectionString });
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return drizzleOnNodePostgres(pool, { schema: { effects } });
}

type Transaction = Parameters<Parameters<ReturnType<typeof connect>['transaction']>[0]>[0];

function open(url: string): Library<Transaction> {
  const db = connect(url);
  return {
    client: fromDrizzle(db),
    insert: (transaction, id) => transaction.insert(effects).values({ id }).execute(),
    close: () => db.$client.end(),
  };
}

clientContract('Drizzle on node-postgres', open, { tellBreaks: true });

describe('Drizzle on postgres-js', () => {
  const { url } = useEmptyDatabase();
  const library = useLibrary(() => {
    const db = drizzleOnPostgresJs(postgres(url, { onnotice: () => undefined }));
    return {
      client: fromDrizzle(db),
      insert: (transaction, id) => transaction.insert(effects).values({ id }).execute(),
      // Without the timeout it never ends when the connection broke during a statement, as of postgres 3.4.9.
      close: () => db.$client.end({ timeout: 1 }),
    };
  });
  // First: the cases of a client leave connections that break, and an idle one is heard of only by its next statement.
  fullStoreContract('Its store', () => controlledPostgresStore(library().client));
  testAll(clientCases({ can: { severalConnections: true, tellBreaks: true }, open: library }));
});

const { url } = useDatabase();

test.each([
  ['node-postgres', connect],
  ['postgres-js', (url: string) => drizzleOnPostgresJs(postgres(url))],
])('Drizzle on %s whose client is out of reach is refused, with what to do', async (_, connectTo) => {
  const db: { readonly $client: { end(): Promise<unknown> } } = connectTo(url);
  const changed = Object.create(db, { session: { value: {} } }) as ReturnType<typeof connect>;
  expect(() => fromDrizzle(changed)).toThrow(/fromDrizzle: db: .*Use drizzle-orm 0\.45/);
  await db.$client.end();
});

test('a transaction in place of a Drizzle database is refused with words', async () => {
  const db = connect(url);
  await db.transaction((transaction) => {
    expect(() => fromDrizzle(transaction as never)).toThrow(
      /fromDrizzle: db: must be a Drizzle database, not one of its trans/,
    );
    return Promise.resolve();
  });
  await db.$client.end();
});

test('Drizzle over a Client is refused, with what to do', () => {
  expect(() => fromDrizzle(drizzleOnNodePostgres(new pg.Client(url)))).toThrow(ONE_CONNECTION);
});

test('Drizzle over the connection of a pool is refused, with what to do', async () => {
  const pool = new pg.Pool({ connectionString: url });
  const connection = await pool.connect();
  expect(() => fromDrizzle(drizzleOnNodePostgres(connection))).toThrow(ONE_CONNECTION);
  connection.release();
  await pool.end();
});

const ONE_CONNECTION =
  /fromDrizzle: db: must be a Drizzle database over a Pool, not over a single connection.*new pg\.Pool/;
