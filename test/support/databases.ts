import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** The migrated database of a run, which its test files copy. */
export function templateDatabase(prefix: string): string {
  return `${prefix}template`;
}

export async function createDatabase(serverUrl: string, name: string, template = 'template0'): Promise<void> {
  await withServer(serverUrl, (sql) => sql`create database ${sql(name)} template ${sql(template)}`);
}

export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  await withServer(serverUrl, async (sql) => {
    const found = await sql<{ name: string }[]>`
      select datname as name from pg_database where starts_with(datname, ${prefix})`;
    for (const { name } of found) await sql`drop database ${sql(name)} with (force)`;
  });
}

/** The connections that clients hold to a database, after those that are closing had a moment to do so. */
export async function openConnections(serverUrl: string, name: string): Promise<string[]> {
  return withServer(serverUrl, async (sql) => {
    for (let look = 1; ; look += 1) {
      const found = await sql<{ connection: string }[]>`
        select concat_ws(', ', application_name, state, query) as connection
        from pg_stat_activity
        where datname = ${name} and backend_type = 'client backend'`;
      if (found.length === 0 || look === 20) return found.map(({ connection }) => connection);
      await sleep(100);
    }
  });
}

async function withServer<T>(serverUrl: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(serverUrl, { max: 1 });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}
