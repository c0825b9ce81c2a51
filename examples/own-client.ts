/**
 * A Postgres client that `handle-once/clients` does not have, and its test: what the records need of it, case by case.
 * It needs a database that tests may write to.
 *
 *     DATABASE_URL=postgres://localhost/scratch npx tsx examples/own-client.ts
 */
import { after, test } from 'node:test';
import type { DatabaseClient, DatabaseQueries } from 'handle-once';
import { clientContract } from 'handle-once/contracts';
import pg from 'pg';
import { required } from './environment.ts';

/** Here for `pg`, in place of the library that you have. */
function fromMyLibrary(pool: pg.Pool): DatabaseClient<pg.PoolClient> {
  const queriesOf = (connection: pg.Pool | pg.PoolClient): DatabaseQueries => ({
    async query(text, values) {
      // Rows by position, and every cell as the text that the server sent.
      const types = { getTypeParser: () => String };
      const { rows } = await connection.query<(string | null)[]>({ text, values, rowMode: 'array', types });
      return rows;
    },
    execute: (statements) => connection.query(statements),
  });
  return { ...queriesOf(pool), begin: (work) => begin(pool, work), in: queriesOf };
}

async function begin<T>(pool: pg.Pool, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let hasEnded = false;
  let isBroken = false;
  // What work sends after its end would be committed by itself, or in the transaction of another caller.
  const open = new Proxy(connection, {
    get(target, name) {
      if (name === 'query' && hasEnded) return () => Promise.reject(new Error('the transaction has ended'));
      return Reflect.get(target, name, target) as unknown;
    },
  });
  try {
    await connection.query('begin');
    const value = await work(open).finally(() => (hasEnded = true));
    await connection.query('commit');
    return value;
  } catch (error) {
    await connection.query('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    connection.release(isBroken);
  }
}

function connect(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString });
  // A connection that breaks emits an error, which ends the process when nothing listens.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return pool;
}

const pool = connect(required('DATABASE_URL'));
after(() => pool.end());

const cases = clientContract<pg.PoolClient>({
  can: { severalConnections: true, tellBreaks: false },
  open: () => ({
    client: fromMyLibrary(pool),
    insert: (connection, id) => connection.query('insert into handle_once_effects (id) values ($1)', [id]),
  }),
  openUnreachable() {
    const nowhere = connect('postgres://nobody@127.0.0.1:1/nothing');
    return { client: fromMyLibrary(nowhere), close: () => nowhere.end() };
  },
});
for (const { name, run } of cases) test(name, run);
