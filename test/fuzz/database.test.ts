import { test } from 'vitest';
import { fuzzDatabase } from '../../proof/fuzz/database.ts';
import { fuzzed } from '../../proof/fuzz/settings.ts';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();

test('on PostgreSQL calls and operations of any kind end as documented, and change nothing else', async () => {
  const { seed = 0, numRuns = 0, path } = fuzzed(200);
  await fuzzDatabase(sql, { seed, numRuns, ...(path === undefined ? {} : { path }) });
});
