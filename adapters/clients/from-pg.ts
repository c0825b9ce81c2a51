import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient } from '../../src/index.ts';
import { guardedConnection } from './guarded-connection.ts';
import { LateStatements } from './late-statements.ts';
import { commit, type PgOptions, pgOptions, pgStatements } from './pg-query.ts';
import { whileItWorks } from './pg-connection.ts';
import { onOneConnection, type PgConnection, type PgPool } from './pg-pool.ts';
import { Transactions } from './transactions.ts';
import { poolSize } from './pool-size.ts';

const clientSchema = lazily(() =>
  z.object({
    pool: satisfying(
      (value) => hasMethods(value, ['query', 'connect']) && 'totalCount' in value,
      'a Pool of pg, made by new pg.Pool({ connectionString }), not a URL or a Client (for one connection use a Pool ' +
        'of one); pass a client made by postgres(url) directly: createHandleOnce({ sql })',
    ),
  }),
);

/**
 * A `Pool` of `pg` as the client of `createHandleOnce` and `migrate`. A transaction is a `PoolClient`.
 *
 * A single `Client` is refused: claims and heartbeats would run inside any transaction that is open on it. For one
 * connection use `new Pool({ max: 1 })`; handlers in a transaction must then end within the lease, because a heartbeat
 * waits for the connection. TypeScript also needs `@types/pg`. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromPg } from 'handle-once/clients';
 * import pg from 'pg';
 *
 * // query_timeout gives up connections that fall silent: set it above the longest statement.
 * const pool = new pg.Pool({ connectionString: databaseUrl, query_timeout: 30_000, keepAlive: true });
 * pool.on('error', console.error); // pg emits it when an idle connection breaks
 * const sql = fromPg(pool);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * await handleOnce.inTransaction('order-1', { cents: 100 }, async (order, _, tx) => {
 *   await tx.query('insert into orders (cents) values ($1)', [order.cents]);
 * });
 * ```
 */
export function fromPg<Connection extends PgConnection>(
  pool: PgPool<Connection>,
  options: PgOptions = {},
): DatabaseClient<Connection> {
  parseOptions('fromPg', clientSchema(), { pool });
  const { prepare } = parseOptions('fromPg', pgOptions(), options);
  const queriesOf = pgStatements(prepare);
  const transactions = new Transactions<Connection>();
  const client: CommittingClient<Connection> = {
    ...queriesOf(pool),
    maxConnections: poolSize(pool.options?.max),
    tellsRollback: true,
    begin: (work, onBroken) =>
      onOneConnection(pool, async (connection) => {
        const late = new LateStatements();
        const guarded = guardedConnection(connection, late);
        transactions.add(guarded, late, queriesOf(connection));
        await connection.query({ text: 'begin' });
        const value = await whileItWorks(connection, () => work(guarded), onBroken).finally(() => {
          late.close();
        });
        await commit(connection);
        return value;
      }),
    in: queriesOf,
    lastIn: transactions.lastIn,
  };
  return client;
}
