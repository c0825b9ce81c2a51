import { onTestFinished } from 'vitest';
import type { Sql } from 'postgres';
import { tcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

export interface FreezableDatabase {
  /** The URL of the database by way of the proxy. */
  readonly through: string;
  /** From now on those who are connected get no answer. */
  readonly freeze: () => void;
  /** From now on each answer comes so much later. */
  readonly slowDown: (milliseconds: number) => void;
}

/** A database by way of a proxy that ends with the test. */
export async function freezableDatabase(url: string): Promise<FreezableDatabase> {
  const { hostname, port } = new URL(url);
  const proxy = await tcpProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.cut());
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  return {
    through: through.href,
    freeze() {
      proxy.silence();
    },
    slowDown(milliseconds) {
      proxy.delayReplies(milliseconds);
    },
  };
}

/** Waits until another session waits for a lock of this table, which the calling test holds. */
export async function untilLocked(sql: Sql, table: string): Promise<void> {
  await until(async () => {
    const waiting = await sql`
      select from pg_locks where not granted and relation = ${table}::regclass
        and database = (select oid from pg_database where datname = current_database())`;
    return waiting.length > 0;
  });
}
