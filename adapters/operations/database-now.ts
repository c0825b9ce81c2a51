import { inMs } from './statements/inspect.ts';
import { run } from './run.ts';
import { clientOf, type TablesOptions } from './tables.ts';

const NOW = `select ${inMs('statement_timestamp()')} as now_ms`;

/** The time of the database, by which all times of the records are. Throws `StoreError`. */
export async function databaseNow({ sql, replyTimeoutMs }: TablesOptions): Promise<Date> {
  const [row] = await run(clientOf({ sql, replyTimeoutMs }), NOW, []);
  return new Date(Number(row?.[0]));
}
