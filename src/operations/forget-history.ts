import type { DatabaseClient } from '../store/postgres/database-client.ts';
import { historyStatements } from '../store/postgres/statements/history.ts';
import { run } from './run.ts';

/** Deletes what is left of records that are gone, processes that were not seen for as long, and older counts. */
export async function forgetHistory(
  client: DatabaseClient,
  schema: string,
  olderThanMs: number,
): Promise<void> {
  const { forgetFailures, forgetWorkers, forgetStats } = historyStatements(schema);
  await run(client, forgetFailures, [String(olderThanMs)]);
  await run(client, forgetWorkers, [String(olderThanMs)]);
  await run(client, forgetStats, [String(olderThanMs)]);
}
