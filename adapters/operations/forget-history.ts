import { randomInt } from 'node:crypto';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { quoteIdentifier } from '../../src/postgres/identifier.ts';
import { historyStatements } from './statements/history.ts';
import { leavesStatement } from '../../src/postgres/statements/leaves.ts';
import { PAGES_PER_STEP, placesOf, rest } from './pages.ts';
import { run } from './run.ts';

export interface ForgetHistoryOptions {
  readonly client: DatabaseClient;
  readonly databaseSchema: string;
  readonly olderThanMs: number;
  /** Asked before each step. */
  readonly mayGoOn: () => boolean;
}

/**
 * Deletes what is left of records that are gone, processes that were not seen for as long, and older counts.
 *
 * Some pages at a time, as a walk does. It begins anywhere: what a limit leaves is reached by a later one.
 */
export async function forgetHistory(options: ForgetHistoryOptions): Promise<void> {
  const { databaseSchema } = options;
  const { forgetFailures, forgetWorkers, forgetStats } = historyStatements(databaseSchema);
  const schema = quoteIdentifier(databaseSchema);
  await forgetIn(`${schema}.failures`, forgetFailures, options);
  await forgetIn(`${schema}.workers`, forgetWorkers, options);
  await forgetIn(`${schema}.stats`, forgetStats, options);
}

async function forgetIn(
  table: string,
  statement: string,
  { client, olderThanMs, mayGoOn }: ForgetHistoryOptions,
): Promise<void> {
  const [row] = await run(client, leavesStatement(), [table]);
  const steps = Math.ceil(Number(row?.[1] ?? 0) / PAGES_PER_STEP);
  const first = steps === 0 ? 0 : randomInt(steps);
  for (let step = 0; step < steps; step += 1) {
    if (!mayGoOn()) return;
    const startedAt = performance.now();
    const page = ((first + step) % steps) * PAGES_PER_STEP;
    await run(client, statement, [...placesOf(page), String(olderThanMs)]);
    await rest(performance.now() - startedAt, mayGoOn);
  }
}
