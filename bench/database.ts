import postgres from 'postgres';

export const CONNECTIONS = 10;

export interface Database {
  readonly url: string;
  /** A client of ten connections, which is the default. */
  readonly sql: postgres.Sql;
}

export function connect(url: string): postgres.Sql {
  return postgres(url, { max: CONNECTIONS, onnotice: () => undefined });
}

/** A database of the benchmark's own, dropped at the end. */
export async function withDatabase<T>(
  serverUrl: string,
  run: (database: Database) => Promise<T>,
): Promise<T> {
  const name = `bench_${process.pid}`;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await admin`create database ${admin(name)}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href);
  try {
    return await run({ url: url.href, sql });
  } finally {
    await sql.end();
    await admin`drop database ${admin(name)} with (force)`;
    await admin.end();
  }
}
