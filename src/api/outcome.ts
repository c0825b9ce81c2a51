/** Why a record failed for good. */
export type FailedReason = 'terminal' | 'attempts-exhausted' | 'deaths-exhausted' | 'invalid-payload';

/** Why a record is still pending, as this caller sees it. */
export type PendingReason = 'in-flight' | 'released' | 'suspect' | 'lease-lost' | 'unrecorded';

/**
 * Why a succeeded record holds no result. `not-serializable`: somewhere in it is what JSON cannot express, or an object
 * of which it shows nothing, such as a BigInt, a cycle, a `Map`, a `Set` or an `Error`.
 */
export type ResultOmitted = 'not-serializable' | 'too-large' | 'not-stored' | 'refused-by-store';

/** What the record keeps of an error: never the payload, never the stack. */
export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly cause?: StoredError;
}

interface SucceededBase {
  readonly state: 'succeeded';
  /** Whether the answer came from the record, without running the handler. */
  readonly replayed: boolean;
  readonly attempts: number;
}

/**
 * The handler returned, and the record keeps what it returned. A replay gives what JSON kept of it: a `Date` as text, an
 * instance of a class as its members, `NaN` as null.
 */
export interface SucceededWithResult<R> extends SucceededBase {
  readonly result: R;
  readonly resultOmitted?: never;
}

/** The handler returned, but the record could not keep its result: only the first run has it. */
export interface SucceededWithoutResult<R> extends SucceededBase {
  readonly result: R | undefined;
  readonly resultOmitted: ResultOmitted;
}

export type Succeeded<R> = SucceededWithResult<R> | SucceededWithoutResult<R>;

/** The message is over: it will not run again before its record expires. */
export interface Failed {
  readonly state: 'failed';
  readonly reason: FailedReason;
  readonly error: StoredError;
  readonly replayed: boolean;
  readonly attempts: number;
}

/**
 * The message is not over: keep it at the broker.
 *
 * - `in-flight`: another caller holds the lease.
 * - `released`: an attempt ended with a retryable error, and its backoff runs.
 * - `suspect`: its last two attempts died with their workers, and another such message is running in this process.
 * - `lease-lost`: our lease lapsed and another caller took over; what our handler did is not on record.
 * - `unrecorded`: our handler ended, but the store could not be told before the lease lapsed.
 */
export interface Pending {
  readonly state: 'pending';
  readonly reason: PendingReason;
  /** Milliseconds until a redelivery can hope for more. */
  readonly retryAfterMs: number;
  readonly attempts: number;
  readonly error?: StoredError;
}

/** What became of one delivery: a union on `state`. */
export type Outcome<R> = Succeeded<R> | Failed | Pending;
