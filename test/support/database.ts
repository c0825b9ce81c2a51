import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import {
  createDatabase,
  databaseUrl,
  dropDatabases,
  openConnections,
  templateDatabase,
} from './databases.ts';
import { serviceUrl } from './service-url.ts';

export const postgresUrl = await serviceUrl('postgres');

export interface TestDatabase {
  readonly url: string;
  readonly sql: postgres.Sql;
}

/** A migrated database of the calling file's own, there from its first test to its last. */
export function useDatabase(): TestDatabase {
  return useDatabaseFrom(templateDatabase(inject('databasePrefix')));
}

/** The same without any table. */
export function useEmptyDatabase(): TestDatabase {
  return useDatabaseFrom('template0');
}

/** A name that no other database has. */
export function newDatabaseName(): string {
  return inject('databasePrefix') + randomBytes(6).toString('hex');
}

function useDatabaseFrom(template: string): TestDatabase {
  const name = newDatabaseName();
  const url = databaseUrl(postgresUrl, name);
  const sql = postgres(url, { onnotice: () => undefined });

  beforeAll(() => createDatabase(postgresUrl, name, template));

  afterAll(async () => {
    await sql.end({ timeout: 5 });
    const left = await openConnections(postgresUrl, name);
    await dropDatabases(postgresUrl, name);
    expect(left, 'this file left connections to its database open').toEqual([]);
  });

  return { url, sql };
}
