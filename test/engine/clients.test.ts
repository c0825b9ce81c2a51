import type postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createHandleOnce, InvalidOptionsError, migrate } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';

/** A claim must not end with its caller's rollback, nor wait for a connection that its own caller holds. */
describe('a part of a client in place of the client', () => {
  const { sql } = useDatabase();

  async function isRefused(client: unknown): Promise<void> {
    const part = client as postgres.Sql;
    expect(() => createHandleOnce({ sql: part, scope: 'a' })).toThrow(InvalidOptionsError);
    await expect(migrate(part)).rejects.toThrow(InvalidOptionsError);
  }

  it('is refused when it is a transaction', async () => {
    await sql.begin(isRefused);
  });

  it('is refused when it is a reserved connection', async () => {
    const reserved = await sql.reserve();
    await isRefused(reserved).finally(() => {
      reserved.release();
    });
  });
});
