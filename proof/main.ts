/**
 * Runs what takes too long for CI, and writes what it has found to docs/evidence/proof.md. Ends with 1 when something
 * did not hold. `npm run proof` takes hours; `npm run proof -- fuzz limits --seed 7` for some steps, with the seed of
 * an earlier run. TEST_DATABASE_URL for a server of your own.
 */
import { parseArgs } from 'node:util';
import { environment, load } from '../bench/report/machine.ts';
import { withDatabase } from '../bench/database.ts';
import { migrate } from '../src/index.ts';
import { startPostgres } from '../test/support/services/postgres.ts';
import { writeSection } from './page.ts';
import { STEPS } from './steps/index.ts';

const NAMES = STEPS.map(({ name }) => name);
const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true });
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isSafeInteger(seed) || positionals.some((name) => !NAMES.includes(name))) {
  throw new Error(`npm run proof -- [${NAMES.join(' | ')}] [--seed N]`);
}

const postgres = await startPostgres();
try {
  const { machine, versions, durability } = await environment(postgres.url);
  for (const step of STEPS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    console.log(`${step.title}, seed ${seed}`);
    const date = new Date().toISOString().slice(0, 10);
    const before = load();
    const finding = await withDatabase(postgres.url, async ({ sql, url: databaseUrl }) => {
      await migrate(sql);
      return step.run({ sql, databaseUrl, seed });
    });
    const facts =
      `${date}, seed ${seed}. Node ${versions['node'] ?? ''}, PostgreSQL ${versions['postgresql'] ?? ''} ` +
      `(fsync ${durability['fsync'] ?? ''}), ${machine.cores} cores of ${machine.cpu}, load ${before} before and ` +
      `${load()} after. ${finding.holds ? 'Everything held.' : '**Not everything held.**'}`;
    writeSection(step.title, `${facts}\n\n${finding.text}`);
    console.log(`${finding.text}\n`);
    if (!finding.holds) process.exitCode = 1;
  }
} finally {
  await postgres.stop();
}
