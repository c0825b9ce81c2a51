import type postgres from 'postgres';
import { expect } from 'vitest';
import type { PostgresClient } from '../../../src/postgres/postgres-client.ts';
import type { Store } from '../../../src/store.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';

/** A key that another transaction has locked: writers wait until it is released. */
export interface HeldKey {
  /** Resolves once so many sessions of this database wait for a lock. */
  waitedForBy(sessions: number): Promise<void>;
  /** A store in the transaction that holds the key: what it writes is not visible before `commit`. */
  readonly store: Store;
  /** Lets all that wait go on at once. The record is as it was, or absent as it was. */
  release(): Promise<void>;
  /** Lets all that wait go on at once, and see what `store` wrote. */
  commit(): Promise<void>;
}

export async function holdKey(sql: postgres.Sql, scope: string, key: string): Promise<HeldKey> {
  const session = await sql.reserve();
  await session`begin isolation level read committed`;
  await session`
    insert into handle_once.records as t (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    values (${scope}, ${key}, gen_random_uuid(), '', 'pending', true, 1, now() + interval '1 hour', now())
    on conflict (scope, key) do update set attempts = t.attempts`;
  const client: PostgresClient = {
    unsafe: (...query) => session.unsafe(...query),
    begin: () => Promise.reject(new Error('it is in a transaction')),
  };
  return {
    async waitedForBy(sessions) {
      await expect.poll(() => waiting(sql), { timeout: 10_000, interval: 5 }).toBe(sessions);
    },
    store: createPostgresStore(client, 'handle_once'),
    async release() {
      await session`rollback`;
      session.release();
    },
    async commit() {
      await session`commit`;
      session.release();
    },
  };
}

async function waiting(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}
