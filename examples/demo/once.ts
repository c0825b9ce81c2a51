import { createHandleOnce, type HandleOnce } from 'handle-once';
import { LEASE_MS, workerEnvironment } from './environment.ts';
import type { WorkerProcess } from './worker-process.ts';

/** The `handleOnce` of both brokers' workers, which writes down what it answers from the records. */
export function createOnce({ sql, journal }: WorkerProcess): HandleOnce {
  return createHandleOnce({
    sql,
    scope: 'orders',
    databaseSchema: workerEnvironment().DEMO_RECORDS_SCHEMA,
    leaseMs: LEASE_MS,
    stats: true,
    onEvent(event) {
      if (event.type === 'replayed') void journal.replayed(event.key);
    },
  });
}
