import type postgres from 'postgres';
import { migrate } from '../../src/index.ts';
import { textOf } from '../docs/documents.ts';

/** A node of Citus that holds shards, where the environment names one. */
export const citusUrl = process.env['TEST_CITUS_URL'];

/** The examples of SQL below a heading of docs/scaling.md. */
export function sqlOfScaling(heading: string): string[] {
  const [, section = ''] = textOf('docs/scaling.md').split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = '']) => sql);
}

/** Makes the tables, and distributes them as docs/scaling.md says, unless they are there. */
export async function makeCitusTables(sql: postgres.Sql): Promise<void> {
  await migrate(sql);
  const known = await sql`select from citus_tables where table_name = 'handle_once.records'::regclass`;
  const [distribute = ''] = sqlOfScaling('Citus');
  if (known.length === 0) await sql.unsafe(distribute);
}
