import { readFile } from 'node:fs/promises';
import postgres, { type Sql } from 'postgres';

/** A client whose statements mean the tables of one trial. */
export function connect(databaseUrl: string, schema: string): Sql {
  return postgres(databaseUrl, {
    connection: { search_path: schema },
    fetch_types: false,
    onnotice: () => undefined, // "drop cascades to ..."
  });
}

export async function createTables(sql: Sql, schema: string): Promise<void> {
  await sql`create schema ${sql(schema)}`;
  await sql.unsafe(await readFile(new URL('schema.sql', import.meta.url), 'utf8'));
}

export async function dropSchema(sql: Sql, schema: string): Promise<void> {
  await sql`drop schema if exists ${sql(schema)} cascade`;
}
