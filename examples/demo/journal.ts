import type { Sql } from 'postgres';

/** What a worker writes down of its deliveries, for the table at the end. */
export interface Journal {
  delivered(orderIds: readonly string[]): Promise<void>;
  replayed(orderId: string): Promise<void>;
  /** Something went on with the broker that makes it deliver again. */
  disturbed(times: number): Promise<void>;
  /** Resolves when all of it is written. */
  written(): Promise<void>;
}

export function createJournal(sql: Sql, worker: number): Journal {
  const writing = new Set<Promise<void>>();

  function write(table: 'deliveries' | 'replays' | 'disturbances', rows: object[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    const written = sql`insert into ${sql(table)} ${sql(rows)}`.then(() => undefined);
    writing.add(written);
    return written.finally(() => writing.delete(written));
  }

  return {
    delivered: (orderIds) =>
      write(
        'deliveries',
        orderIds.map((order_id) => ({ order_id, worker })),
      ),
    replayed: (order_id) => write('replays', [{ order_id, worker }]),
    disturbed: (times) =>
      write(
        'disturbances',
        Array.from({ length: times }, () => ({ worker })),
      ),
    async written() {
      await Promise.all(writing);
    },
  };
}
