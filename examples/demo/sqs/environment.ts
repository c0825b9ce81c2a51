/** How a worker finds its queue. The SDK has variables of its own for the rest. */
export interface SqsEnvironment {
  readonly QUEUE_URL: string;
}

export function sqsEnvironment(): SqsEnvironment {
  return process.env as typeof process.env & SqsEnvironment;
}

/** The worker that forgets to delete some messages, so that the queue delivers them again. */
export const FORGETFUL_WORKER = 3;

export const CONCURRENCY = 10;

export const VISIBILITY_TIMEOUT_SECONDS = 4;

export const LONGEST_WAIT_MS = 240;
