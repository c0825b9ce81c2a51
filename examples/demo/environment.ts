/** Who a worker process is: handed down by the demo, as environment variables. */
export interface WorkerEnvironment {
  readonly DATABASE_URL: string;
  readonly DEMO_SCHEMA: string;
  readonly DEMO_RECORDS_SCHEMA: string;
  readonly DEMO_WORKER: string;
}

export function workerEnvironment(): WorkerEnvironment {
  return process.env as typeof process.env & WorkerEnvironment;
}

/** The worker that is killed in the middle of its handlers. */
export const DOOMED_WORKER = 2;

/** It has ended so many before. */
export const LEAST_ENDED = 20;

/** The worker may be silent for this long. It has to be shorter than the broker's own patience with a worker. */
export const LEASE_MS = 2_500;
