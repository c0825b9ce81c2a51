import * as z from 'zod/mini';
import { hasMethods, lazily, parseOptions, satisfying } from '../../src/adapter-kit.ts';
import type { DatabaseClient, DatabaseQueries } from '../../src/index.ts';
import { textRows } from './text-rows.ts';

/** What runs a query: a `PrismaClient`, or its interactive transaction. */
export interface PrismaQueryable {
  $queryRawUnsafe(statement: string, ...values: (string | null)[]): PromiseLike<unknown>;
  $executeRawUnsafe(statements: string): PromiseLike<unknown>;
}

/** The part of a `PrismaClient` that is used. A transaction does not connect. */
export interface PrismaDatabase<Tx> extends PrismaQueryable {
  $connect(): PromiseLike<unknown>;
  $transaction<T>(work: (transaction: Tx) => Promise<T>): Promise<T>;
}

const clientSchema = lazily(() =>
  z.object({
    prisma: satisfying(
      (value) => hasMethods(value, ['$queryRawUnsafe', '$executeRawUnsafe', '$connect', '$transaction']),
      'a PrismaClient, not one of its transactions',
    ),
  }),
);

/**
 * A `PrismaClient` on Postgres, extended or not, as the client of `createHandleOnce` and `migrate`. A transaction is a
 * `Prisma.TransactionClient`.
 *
 * Prisma rolls a transaction back after its `timeout` (5 seconds), and gives up one that gets no connection within
 * `maxWait` (2 seconds): then the attempt has failed and is retried. Both can be raised in the client's
 * `transactionOptions`. `migrate` sends several statements in one text, which a Prisma adapter with
 * `statementNameGenerator` refuses: then put the output of `migrationSql()` into a Prisma migration.
 *
 * Throws `InvalidOptionsError`, for a transaction too.
 *
 * @example
 * ```ts
 * import { PrismaPg } from '@prisma/adapter-pg';
 * import { createHandleOnce, migrate } from 'handle-once';
 * import { fromPrisma } from 'handle-once/clients';
 *
 * const prisma = new PrismaClient({
 *   adapter: new PrismaPg({ connectionString: databaseUrl }),
 *   transactionOptions: { timeout: 60_000, maxWait: 10_000 },
 * });
 * const sql = fromPrisma(prisma);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * ```
 */
export function fromPrisma<Tx extends PrismaQueryable>(prisma: PrismaDatabase<Tx>): DatabaseClient<Tx> {
  parseOptions('fromPrisma', clientSchema(), { prisma });
  return { ...queriesOf(prisma), begin: (work) => prisma.$transaction(work), in: queriesOf };
}

function queriesOf(on: PrismaQueryable): DatabaseQueries {
  return {
    query: async (statement, parameters) =>
      textRows((await on.$queryRawUnsafe(statement, ...parameters)) as object[]),
    execute: async (statements) => await on.$executeRawUnsafe(statements),
  };
}
