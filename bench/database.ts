import postgres from 'postgres';
import { startPostgres } from '../test/support/services/postgres.ts';

/** A database of the benchmark's own, dropped at the end, and a client of ten connections. */
export async function withDatabase(run: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const service = await startPostgres();
  const database = `bench_${process.pid}`;
  const admin = postgres(service.url, { max: 1, onnotice: () => undefined });
  await admin`create database ${admin(database)}`;
  const url = new URL(service.url);
  url.pathname = `/${database}`;
  const sql = postgres(url.href, { max: 10, onnotice: () => undefined });
  try {
    await run(sql);
  } finally {
    await sql.end();
    await admin`drop database ${admin(database)} with (force)`;
    await admin.end();
    await service.stop();
  }
}
