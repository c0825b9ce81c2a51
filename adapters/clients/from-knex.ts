import * as z from 'zod/mini';
import {
  type CommittingClient,
  hasMethods,
  lazily,
  parseOptions,
  satisfying,
} from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { type EndingConnection, guardUntilEnd } from './guarded-connection.ts';
import { LateStatements } from './late-statements.ts';
import { whileItWorks } from './pg-connection.ts';
import { type PgOptions, pgOptions, type PgQuery, type PgQueryable, pgStatements } from './pg-query.ts';
import { poolSize } from './pool-size.ts';
import { Transactions } from './transactions.ts';

/** What runs a query: a `Knex`, or its transaction. */
export interface KnexQueryable {
  raw(statement: string): { options(options: Omit<PgQuery, 'text'>): PromiseLike<unknown> };
}

/** A transaction. Its client has one connection of `pg`. */
export interface KnexTransaction extends KnexQueryable {
  readonly client: { acquireConnection(): Promise<EndingConnection> };
  isCompleted(): boolean;
}

/** The part of a `Knex` that is used. A transaction has `isCompleted` as well. */
export interface KnexDatabase<Tx> extends KnexQueryable {
  readonly isCompleted?: never;
  readonly client?: { readonly pool?: { readonly max?: unknown } };
  transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

const clientSchema = lazily(() =>
  z.object({
    knex: satisfying(
      (value) => hasMethods(value, ['raw', 'transaction']) && !hasMethods(value, ['isCompleted']),
      'a Knex, not one of its transactions',
    ),
  }),
);

/**
 * A `Knex` with the driver `pg` as the client of `createHandleOnce` and `migrate`. A transaction is a
 * `Knex.Transaction`. Throws `InvalidOptionsError`, for a transaction too.
 *
 * @example
 * ```ts
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromKnex } from 'handle-once/clients';
 * import knex from 'knex';
 *
 * const sql = fromKnex(knex({ client: 'pg', connection: databaseUrl }));
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * await handleOnce.inTransaction('order-1', { cents: 100 }, async (order, _, tx) => {
 *   await tx('orders').insert(order);
 * });
 * ```
 */
export function fromKnex<Tx extends KnexTransaction>(
  knex: KnexDatabase<Tx>,
  options: PgOptions = {},
): DatabaseClient<Tx> {
  parseOptions('fromKnex', clientSchema(), { knex });
  const { prepare } = parseOptions('fromKnex', pgOptions(), options);
  const onConnection = pgStatements(prepare);
  const transactions = new Transactions<Tx>();
  // As the driver's options, since Knex has another mark for its own bindings, and quotes those in errors.
  const queriesOf = (on: KnexQueryable): DatabaseQueries =>
    onConnection({
      query: ({ text, ...driverOptions }) =>
        on.raw(text).options(driverOptions) as ReturnType<PgQueryable['query']>,
    });
  const client: CommittingClient<Tx> = {
    ...queriesOf(knex),
    maxConnections: poolSize(knex.client?.pool?.max),
    tellsRollback: true,
    begin: (work, onBroken) =>
      knex.transaction(async (transaction) => {
        const connection = await transaction.client.acquireConnection();
        const late = new LateStatements();
        transactions.add(
          transaction,
          late,
          onConnection(guardUntilEnd(connection, late, () => transaction.isCompleted())),
        );
        return await whileItWorks(connection, () => late.after(() => work(transaction)), onBroken);
      }),
    in: queriesOf,
    lastIn: transactions.lastIn,
  };
  return client;
}
