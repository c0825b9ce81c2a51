import type * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { hasMethods, satisfying } from '../options/parse-options.ts';
import type { PostgresClient } from './postgres-client.ts';
import type { CommittingClient } from './committing-client.ts';
import type { DatabaseClient } from './database-client.ts';
import { fromPostgres } from './from-postgres.ts';

/** What users give as `sql`. `Tx` is what handlers in a transaction get. */
export type SqlClient<Tx = unknown> = PostgresClient<Tx> | DatabaseClient<Tx>;

/** Neither shape fits a transaction: a claim must not end with the rollback of its caller. */
export const sqlClient = lazily((): z.ZodMiniType<SqlClient, SqlClient> =>
  satisfying(
    (value) => isPostgresClient(value) || hasMethods(value, ['query', 'execute', 'begin', 'in']),
    'a client made by postgres(url), or one of another library through handle-once/clients, such as fromPg(pool) ' +
      'or fromPglite(db), not a transaction or a URL',
  ),
);

const made = new WeakMap<object, unknown>();

/** One for each client, so that all callers share what is known of it, such as shared sessions. */
export function toDatabaseClient<Tx>(sql: SqlClient<Tx>): CommittingClient<Tx> {
  if (!isPostgresClient<Tx>(sql)) return sql;
  const client = (made.get(sql) as CommittingClient<Tx> | undefined) ?? fromPostgres(sql);
  made.set(sql, client);
  return client;
}

function isPostgresClient<Tx>(value: unknown): value is PostgresClient<Tx> {
  return hasMethods(value, ['unsafe', 'begin']);
}
