import { expect, test } from 'vitest';
import { migrate } from '../../src/index.ts';
import { useClient } from '../store/postgres/client.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { ALL_MIGRATIONS } from './all.ts';

const PROCESSES = 20;

const { url, sql } = useEmptyDatabase();
const clients = Array.from({ length: PROCESSES }, () => useClient(url, { max: 1 }));

/** As many processes do that start at one moment: each has its connection, and asks at the same time. */
async function migrateAtOnce(schema: string): Promise<string[]> {
  await Promise.all(clients.map((client) => client`select 1`));
  const results = await Promise.all(clients.map((client) => migrate(client, { schema })));
  return results.flatMap(({ applied }) => applied);
}

test('of many that migrate an empty database at one moment exactly one runs each migration', async () => {
  for (const schema of ['round_one', 'round_two', 'round_three']) {
    expect(await migrateAtOnce(schema)).toEqual(ALL_MIGRATIONS);
    expect(await sql`select version from ${sql(schema)}.migrations`).toHaveLength(ALL_MIGRATIONS.length);
  }
});

test('many wait for one that takes long, and then find its work done', async () => {
  const session = await sql.reserve();
  const schema = 'waited_for';
  await session`begin`;
  await session`select pg_advisory_xact_lock(hashtextextended(${`handle-once:${schema}`}, 0))`;
  const all = migrateAtOnce(schema);
  const waiting = () => sql`
    select from pg_locks join pg_database on oid = database and datname = current_database()
    where locktype = 'advisory' and not granted`;
  await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(PROCESSES);
  await session`rollback`;
  session.release();
  expect(await all).toEqual(ALL_MIGRATIONS);
});

test.each(['repeatable read', 'serializable'] as const)(
  'many at one moment, with sessions that are %s',
  async (level) => {
    for (const client of clients) {
      await client.unsafe(`set default_transaction_isolation = '${level}'`);
    }
    expect(await migrateAtOnce(level.replace(' ', '_'))).toEqual(ALL_MIGRATIONS);
  },
);
