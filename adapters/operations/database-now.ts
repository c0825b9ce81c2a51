import { run } from './run.ts';
import { clientOf, type TablesOptions } from './tables.ts';

const NOW = `select (date_part('epoch', statement_timestamp()) * 1000)::bigint::text as now_ms`;

/** The time of the database, by which all times of the records are. Throws `StoreError`. */
export async function databaseNow({ sql, replyTimeoutMs }: TablesOptions): Promise<Date> {
  const [row] = await run(clientOf({ sql, replyTimeoutMs }), NOW, []);
  return new Date(Number(row?.[0]));
}
