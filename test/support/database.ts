import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { createDatabase, databaseUrl, dropDatabases, openConnections } from './databases.ts';

export interface TestDatabase {
  readonly url: string;
  readonly sql: postgres.Sql;
}

/** A migrated database of the calling file's own, there from its first test to its last. */
export function useDatabase(): TestDatabase {
  return useDatabaseFrom(inject('templateDatabase'));
}

/** The same without any table. */
export function useEmptyDatabase(): TestDatabase {
  return useDatabaseFrom('template0');
}

function useDatabaseFrom(template: string): TestDatabase {
  const server = inject('postgresUrl');
  const name = inject('databasePrefix') + randomBytes(6).toString('hex');
  const url = databaseUrl(server, name);
  const sql = postgres(url, { onnotice: () => undefined });

  beforeAll(() => createDatabase(server, name, template));

  afterAll(async () => {
    await sql.end({ timeout: 5 });
    const left = await openConnections(server, name);
    await dropDatabases(server, name);
    expect(left, 'this file left connections to its database open').toEqual([]);
  });

  return { url, sql };
}
