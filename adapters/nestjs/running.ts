/** The method that handles messages, with its provider as `this`. */
export type Run = (...given: unknown[]) => unknown;

/** A consumer whose options are right. */
export interface Prepared {
  start(): Promise<Running>;
}

/** A consumer that runs. */
export interface Running {
  /** Resolves when its handlers have ended, and what they settled is acknowledged. */
  stop(): Promise<void>;
}
