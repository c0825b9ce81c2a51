import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type postgres from 'postgres';
import type { Size } from '../../../src/postgres/request-rows.ts';
import { statementsOf } from '../../../src/store/postgres/statements/index.ts';
import { useDatabase } from '../../support/database.ts';

const TABLE = 'handle_once.records';
const { claimNew, claimAny, settle, settledBefore, extend, keep } = statementsOf('handle_once');
const STATEMENTS = { claimNew, claimAny, settle, settledBefore, extend, keep };

const { sql } = useDatabase();
let session: postgres.ReservedSql;

beforeAll(async () => {
  session = await sql.reserve();
  await session`set plan_cache_mode = force_generic_plan`;
});

afterAll(() => {
  session.release();
});

/** How the statement finds records, by the plan that is kept and used for any parameters. */
async function scansOfRecords(verb: keyof typeof STATEMENTS, size: Size): Promise<string[]> {
  const statement = STATEMENTS[verb][size];
  const count = new Set(statement.match(/\$\d+/g)).size;
  await session.unsafe(`prepare planned as ${statement}`);
  const parameters = Array.from({ length: count }, () => 'null').join(', ');
  const rows = await session.unsafe(`explain (costs off) execute planned(${parameters})`);
  await session.unsafe('deallocate planned');
  const plan = rows.map((row) => String(row['QUERY PLAN']));
  return plan.flatMap((line, index) => {
    const scan = /\w+(?: Only)? Scan.* on records\b/.exec(line)?.[0];
    return scan === undefined ? [] : [`${scan} ${plan[index + 1]?.trim() ?? ''}`];
  });
}

/** Not by their scope alone: that would read all of its records to find a few. */
const BY_KEY = /^Index Scan using records_pkey on records\S* Index Cond: \(.*\(key = /;

const FILLINGS = {
  'is new': () => Promise.resolve(),
  'was vacuumed while it was empty': async () => {
    await session.unsafe(`vacuum analyze ${TABLE}`);
  },
  'was analysed with a few records': async () => {
    await session.unsafe(`
      insert into ${TABLE} (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'scope', 'key-' || n, gen_random_uuid(), '', 'succeeded', false, 1, now() + interval '1 day', now()
      from generate_series(1, 50) n`);
    await session.unsafe(`vacuum analyze ${TABLE}`);
  },
  'has a record in each of many scopes': async () => {
    await session.unsafe(`update ${TABLE} set scope = 'scope-' || key`);
    await session.unsafe(`vacuum analyze ${TABLE}`);
  },
  'was emptied': async () => {
    await session.unsafe(`delete from ${TABLE}`);
    await session.unsafe(`vacuum analyze ${TABLE}`);
  },
  'has many records': async () => {
    await session.unsafe(`
      insert into ${TABLE} (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'scope', 'key-' || n, gen_random_uuid(), '', 'succeeded', false, 1, now() + interval '1 day', now()
      from generate_series(1, 20000) n`);
    await session.unsafe(`vacuum analyze ${TABLE}`);
  },
};

describe.each(Object.entries(FILLINGS))('On a table that %s', (_, fill) => {
  beforeAll(fill);

  const verbs = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[];
  const cases = verbs.flatMap((verb) => [[verb, 'one'] as const, [verb, 'many'] as const]);

  test.each(cases)('%s of %s finds records by their key', async (verb, size) => {
    const scans = await scansOfRecords(verb, size);
    expect(scans).not.toEqual([]);
    expect(scans.filter((scan) => !BY_KEY.test(scan))).toEqual([]);
  });
});
