import type { JsonForm } from './json-form.ts';

/** Why a record failed permanently. May grow in a minor version: a `switch` needs a `default`. */
export type FailedReason = 'terminal' | 'attempts-exhausted' | 'deaths-exhausted' | 'invalid-payload';

/** Why a record is still pending, as this caller sees it. May grow in a minor version: a `switch` needs a `default`. */
export type PendingReason = 'in-flight' | 'released' | 'deferred' | 'suspect' | 'lease-lost' | 'unrecorded';

/**
 * Why a succeeded record holds no result. `not-serializable`: it contains a value that JSON cannot express or hides,
 * such as a BigInt, a cycle, a `Map`, a `Set` or an `Error`, with or without members. `too-large`: above
 * `maxResultBytes`. `not-stored`: `storeResult` is false. `refused-by-store`: the database could not store its text.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type ResultOmitted = 'not-serializable' | 'too-large' | 'not-stored' | 'refused-by-store';

/** What the record keeps of an error: never the payload, never the stack. */
export interface StoredError {
  /** At most 200 characters. `NonErrorThrown` if the thrown value is not an `Error`. */
  readonly name: string;
  /** At most 2,000 characters; a longer one is cut. */
  readonly message: string;
  /** Text of at most 200 characters, or a number: of the error, or of its nearest cause that has a code. */
  readonly code?: string | number;
  /** The error's own cause, at most four deep. */
  readonly cause?: StoredError;
}

interface SucceededBase {
  readonly state: 'succeeded';
  /** Attempts until it succeeded, including the last one; interrupted ones do not count. */
  readonly attempts: number;
}

/** The handler returned in this call. */
export interface SucceededNow<R> extends SucceededBase {
  /** The handler ran. */
  readonly replayed: false;
  /** What the handler returned, even if the record could not keep it. */
  readonly result: R;
  /** Why no replay will have the result. Undefined where the record has it. */
  readonly resultOmitted?: ResultOmitted;
}

/** The handler returned in an earlier call, and the record has its result. */
export interface Replayed<R> extends SucceededBase {
  /** The answer came from the record, without running the handler. */
  readonly replayed: true;
  /** What JSON kept of it: a `Date` as text, an instance of a class as its members, `NaN` as null. */
  readonly result: JsonForm<R>;
  /** Never there: distinguishes a kept result from an omitted one. */
  readonly resultOmitted?: never;
}

/** The handler returned in an earlier call, and the record could not keep its result. */
export interface ReplayedWithoutResult extends SucceededBase {
  /** The answer came from the record, without running the handler. */
  readonly replayed: true;
  /** Only the call that ran the handler had it. */
  readonly result: undefined;
  /** Why. */
  readonly resultOmitted: ResultOmitted;
}

/**
 * The handler returned, in this call or an earlier one: see `replayed`. A first run has the value that the handler
 * returned, and a replay the JSON form of it. If `resultOmitted` is undefined, there is a result.
 */
export type Succeeded<R> = SucceededNow<R> | Replayed<R> | ReplayedWithoutResult;

/** The message is over: it will not run again before its record expires. */
export interface Failed {
  readonly state: 'failed';
  /** `terminal` and `invalid-payload` come from one attempt, the others from a limit that was reached. */
  readonly reason: FailedReason;
  /**
   * What a handler threw last. With `deaths-exhausted` a `DeathsExhaustedError`, whose cause is what a handler threw
   * last.
   */
  readonly error: StoredError;
  /** Whether the record had failed before this call. */
  readonly replayed: boolean;
  /** All attempts, including those that died; interrupted ones do not count. */
  readonly attempts: number;
}

/**
 * The message is not over: keep it at the broker.
 *
 * - `in-flight`: another caller holds the lease.
 * - `released`: an attempt ended with a retryable error, and its backoff runs.
 * - `deferred`: its handler said "not yet": a `RetryableError` with `counted: false`. Until its wait is over, later
 *   deliveries are answered `released`.
 * - `suspect`: its last attempts died with their workers, and another such message is running in this process.
 * - `lease-lost`: the lease ended before the handler did: another caller has taken over, or can. What the handler did
 *   is not on record.
 * - `unrecorded`: the end of the attempt could not be recorded. The message may run again.
 */
export interface Pending {
  readonly state: 'pending';
  /** One of the reasons above. */
  readonly reason: PendingReason;
  /** Milliseconds until a redelivery can have another outcome. */
  readonly retryAfterMs: number;
  /** Attempts so far, including a running one; interrupted ones do not count. */
  readonly attempts: number;
  /** What the handler threw last. Undefined with `in-flight` and `suspect`, and when the handler returned. */
  readonly error?: StoredError;
}

/** The result of one delivery: a union on `state`. */
export type Outcome<R> = Succeeded<R> | Failed | Pending;
