import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';

/** The name of a role without any right, there from the calling file's first test to its last. */
export function useRole(sql: postgres.Sql): string {
  const role = `handle_once_test_${randomBytes(6).toString('hex')}`;
  beforeAll(() => sql`create role ${sql(role)}`);
  afterAll(async () => {
    await sql`drop owned by ${sql(role)}`;
    await sql`drop role ${sql(role)}`;
  });
  return role;
}
