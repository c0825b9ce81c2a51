import type postgres from 'postgres';
import { beforeAll } from 'vitest';

/**
 * Publishes every table of the calling file's database, as Debezium does by default: the server then refuses to update
 * or delete a row of a table without a replica identity, whatever its `wal_level`.
 */
export function publishAllTables(sql: postgres.Sql): void {
  beforeAll(() => sql`create publication everything for all tables`);
}
