/** What a worker of a storm is asked to do. */
export interface Task {
  readonly databaseUrl: string;
  readonly inFlight: number;
  /** Calls of `handleOnce`. */
  readonly calls: number;
  readonly seed: number;
}

/** What it answers, in numbers that add up. */
export interface Share {
  readonly calls: number;
  /** Statements of claims, and of settles. */
  readonly statements: number;
  /** How many claims and settles they had. */
  readonly requests: number;
  readonly takeovers: number;
  /** Settles of leases that had been taken over. */
  readonly zombies: number;
  /** Messages that stay on record, and that a handler of this worker ended. */
  readonly succeeded: number;
  /** Messages of that kind whose settle got no answer in time: it may have landed. */
  readonly unrecorded: number;
  /** Claims, settles and heartbeats that failed: mostly since their worker was frozen. */
  readonly failed: number;
}

export const LEASE_MS = 1_000;

/** Scopes: records stay in one, and expire soon in the other. */
export const KEPT = 'kept';
export const EXPIRING = 'expiring';
export const EXPIRING_MS = LEASE_MS;

/** Keys of each scope, for so many calls of a worker: each comes a few times, to one worker or another. */
export function keysFor(calls: number): number {
  return Math.ceil(calls / 2);
}
