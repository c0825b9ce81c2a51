/**
 * Storms that take too long for the tests: processes and brokers are killed and stand still under load, and what is
 * then in the database and in Kafka is compared with what handleOnce promises. Ends with 1 when a promise was broken.
 * `npm run chaos -- kafka`; `npm run chaos -- kafka cluster --seed 7` for one scenario with the decisions of an earlier
 * run. TEST_DATABASE_URL and KAFKA_BROKERS for services of your own.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { startMigratedPostgres } from '../test/support/services/migrated-postgres.ts';
import { SCENARIOS } from './kafka/scenarios.ts';
import { parseOptions } from './options.ts';
import { holds, type Report, toText } from './report.ts';

const { scenarios, seed, quick, output } = parseOptions(process.argv.slice(2));
console.log(`seed ${seed}`);
const databasePrefix = `handle_once_chaos_${randomBytes(4).toString('hex')}_`;
const postgres = await startMigratedPostgres(databasePrefix);
const reports: Report[] = [];
try {
  for (const name of scenarios) {
    for (const run of SCENARIOS[name]) {
      const chaos = { postgresUrl: postgres.url, databasePrefix, seed, quick };
      reports.push(await run(chaos).catch((error: unknown) => broken(name, error)));
    }
  }
} finally {
  await postgres.stop();
}
console.log(`\n${reports.map(toText).join('\n')}`);
if (output !== undefined) writeFileSync(output, JSON.stringify(reports));
const isKept = reports.every(({ checks }) => checks.every(holds));
console.log(isKept ? `All held, seed ${seed}` : `Not all held: repeat with --seed ${seed}`);
process.exit(isKept ? 0 : 1);

/** A storm that could not be judged at all. */
function broken(storm: string, error: unknown): Report {
  const rule = 'the storm can be run and judged';
  return { storm, figures: {}, checks: [{ rule, looked: 1, violations: [String(error)] }] };
}
