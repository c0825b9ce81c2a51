/** Who a worker process is and where its services are: handed down by the demo, as environment variables. */
export interface WorkerEnvironment {
  readonly DATABASE_URL: string;
  readonly QUEUE_URL: string;
  readonly DEMO_SCHEMA: string;
  readonly DEMO_RECORDS_SCHEMA: string;
  readonly DEMO_WORKER: string;
}

export function workerEnvironment(): WorkerEnvironment {
  return process.env as typeof process.env & WorkerEnvironment;
}

/** The worker that is killed in the middle of its handlers. */
export const DOOMED_WORKER = 2;

/** The worker that forgets to delete some messages, so that the queue delivers them again. */
export const FORGETFUL_WORKER = 3;

export const WORKERS = [1, DOOMED_WORKER, FORGETFUL_WORKER];

export const CONCURRENCY = 10;

/** The worker may be silent for this long. It has to be shorter than the visibility timeout. */
export const LEASE_MS = 2_500;

export const VISIBILITY_TIMEOUT_SECONDS = 4;
