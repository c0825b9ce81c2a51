import { randomBytes } from 'node:crypto';
import { startMigratedPostgres } from '../../test/support/services/migrated-postgres.ts';
import type { ChaosOptions } from './options.ts';
import { type Report, toText } from './report.ts';

/** Runs scenarios one after the other, and prints what each has shown. One that cannot be run has a report too. */
export async function runScenarios({ scenarios, seed, quick }: ChaosOptions): Promise<Report[]> {
  const databasePrefix = `handle_once_chaos_${randomBytes(4).toString('hex')}_`;
  const postgres = await startMigratedPostgres(databasePrefix);
  const reports: Report[] = [];
  try {
    for (const { name, runs } of scenarios) {
      for (const run of runs) {
        const chaos = { postgresUrl: postgres.url, databasePrefix, seed, quick };
        const report = await run(chaos).catch((error: unknown) => broken(name, error));
        console.log(`\n${toText(report)}`);
        reports.push(report);
      }
    }
    return reports;
  } finally {
    await postgres.stop();
  }
}

function broken(storm: string, error: unknown): Report {
  const rule = 'the storm can be run and judged';
  return { storm, figures: {}, checks: [{ rule, looked: 1, violations: [String(error)] }] };
}
