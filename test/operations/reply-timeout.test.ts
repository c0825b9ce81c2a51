import { InvalidOptionsError, StoreError } from 'handle-once';
import {
  countRecords,
  doctor,
  explainRecord,
  findRecords,
  forgetRecord,
  lastWalkAt,
  listRecords,
  maintain,
  readStatus,
  readStats,
  retryFailed,
  retryRecord,
  showRecord,
  type TablesOptions,
} from 'handle-once/operations';
import { expect, test } from 'vitest';
import { createRedriver } from '../../adapters/operations/redrive/redriver.ts';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();
const one = { scope: 'billing', key: 'order-7' };
const deadLetter = {
  ...one,
  ...{ isOwn: true, namesScope: true },
  isOurs: () => true,
  send: () => Promise.resolve(true),
  remove: () => Promise.resolve(),
};

const CALLS: Record<string, (tables: TablesOptions) => Promise<unknown>> = {
  countRecords,
  doctor,
  findRecords: (tables) => findRecords({ ...tables, key: one.key }),
  explainRecord: (tables) => explainRecord({ ...tables, ...one }),
  forgetRecord: (tables) => forgetRecord({ ...tables, ...one }),
  lastWalkAt,
  listRecords,
  maintain,
  readStatus,
  readStats,
  retryFailed,
  retryRecord: (tables) => retryRecord({ ...tables, ...one }),
  showRecord: (tables) => showRecord({ ...tables, ...one }),
  'a redrive': (tables) =>
    createRedriver('redriveQueue', {
      ...{ databaseSchema: 'handle_once', limit: Infinity, perSecond: 50, dryRun: true },
      sql: tables.sql,
      replyTimeoutMs: tables.replyTimeoutMs,
    }).take(deadLetter),
};

test.each(Object.entries(CALLS))('%s gives a statement up that gets no answer', async (_, call) => {
  await sql.begin(async (tx) => {
    await tx`
      lock table handle_once.records, handle_once.migrations, handle_once.maintenance, handle_once.census,
        handle_once.stats in access exclusive mode`;
    const given = await call({ sql, replyTimeoutMs: 300 }).catch((error: unknown) => error);
    expect(given).toBeInstanceOf(StoreError);
    expect((given as StoreError).message).toMatch(/^the store gave no reply within 300 ms/);
  });
  // The statement goes on now that the tables are free: the next case locks them all again.
  await expect
    .poll(
      () => sql`
    select from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
    )
    .toHaveLength(0);
});

test('a wrong limit is refused by name', async () => {
  const refused = readStatus({ sql, replyTimeoutMs: 0 });
  await expect(refused).rejects.toThrow(InvalidOptionsError);
  await expect(refused).rejects.toThrow('readStatus: replyTimeoutMs: must be a whole number of milliseconds');
});
