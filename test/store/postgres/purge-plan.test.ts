import { expect, test } from 'vitest';
import { purgeStatement } from '../../../adapters/operations/statements/purge.ts';
import { useDatabase } from '../../support/database.ts';

const { sql } = useDatabase();

test.each(['is empty', 'has many records'])(
  'a step of a walk reads its pages alone where the table %s',
  async (of) => {
    if (of !== 'is empty') {
      await sql`
      insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
      select 'scope', n::text, gen_random_uuid(), '', 'succeeded', false, 1, now() + n * interval '1 second', now()
      from generate_series(-10000, 10000) n`;
    }
    await sql`vacuum analyze handle_once.records`;
    const session = await sql.reserve();
    try {
      await session`set plan_cache_mode = force_generic_plan`;
      await session.unsafe(
        `prepare step as ${purgeStatement({ leaf: 'handle_once.records', maintenance: 'handle_once.maintenance', failures: 'handle_once.failures' })}`,
      );
      const rows = await session.unsafe(
        `explain (costs off) execute step('(0,0)', '(64,0)', '1', '2', null)`,
      );
      const scans = rows.flatMap(
        (row) => /\w+(?: \w+)* Scan on records\b/.exec(String(row['QUERY PLAN']))?.[0] ?? [],
      );
      expect(scans.toSorted()).toEqual([
        'Tid Range Scan on records',
        'Tid Range Scan on records',
        'Tid Scan on records',
      ]);
    } finally {
      await session.unsafe('deallocate step');
      session.release();
    }
  },
);
