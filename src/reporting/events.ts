import type { EventError } from './event-error.ts';
import type { FailedReason, ResultOmitted } from '../words/outcome.ts';

interface OfMessage {
  /** Of the record: the scope of `createHandleOnce`, or what `inScope` or an adapter made of it. */
  readonly scope: string;
  /** Empty if the event is not about a message. */
  readonly key: string;
}

interface OfAttempt extends OfMessage {
  /** Attempts so far, including this one; interrupted and deferred ones do not count. */
  readonly attempts: number;
}

interface EndOf<State extends 'succeeded' | 'failed' | 'pending'> extends OfAttempt {
  /** Of the message, as far as this call knows: `pending` means that it is not over. */
  readonly state: State;
  /** Milliseconds, with fractions, from the call of `handleOnce` to its end: waiting, handler and record included. */
  readonly durationMs: number;
}

interface EndOfAttempt<State extends 'succeeded' | 'failed' | 'pending'> extends EndOf<State> {
  /** How many messages its handler was called for. Undefined if it was called only for this one. */
  readonly batchSize?: number;
}

/**
 * Everything that happens to a message, each as it happens. Payloads and results are never part of an event.
 *
 * Every call of `handleOnce` with a valid key, payload and options ends in one of: `succeeded`, `failed`, `released`,
 * `deferred`, `lease-lost`, `unrecorded` (it was claimed, or this claim found its limit reached); `replayed`,
 * `in-flight`, `backing-off`, `suspect` (answered from the record); `mismatch`, `aborted`, `store-error` (it threw).
 * The event that ends a call has `state`, `attempts` and `durationMs`. A call that threw ends with `pending` and 0
 * attempts, regardless of the record; if the record is damaged, with its attempts.
 *
 * Types may be added in a minor version: a `switch` needs a `default`.
 */
export type HandleOnceEvent =
  | (OfAttempt & { readonly type: 'claimed' })
  | (OfAttempt & {
      readonly type: 'taken-over';
      /** The process whose lease had lapsed, as the table `workers` has it: 8 hexadecimal digits. */
      readonly from: string;
    })
  /** About once per lease while the handler runs, so that one that hangs is seen. */
  | (OfAttempt & {
      readonly type: 'still-running';
      /** Milliseconds since the call of `handleOnce`. */
      readonly runningMs: number;
    })
  | (EndOfAttempt<'succeeded'> & {
      readonly type: 'succeeded';
      /** Why the record has no result. Undefined when it has one. */
      readonly resultOmitted?: ResultOmitted;
    })
  | (EndOfAttempt<'failed'> & {
      readonly type: 'failed';
      /** As in the outcome. */
      readonly reason: FailedReason;
      /** What the handler threw, or, where no handler ran, the error of the outcome. */
      readonly error: EventError;
      /** With `deaths-exhausted`: the process of the last attempt. */
      readonly from?: string;
    })
  | (EndOfAttempt<'pending'> & {
      readonly type: 'released';
      /** Milliseconds until it can be claimed again. */
      readonly retryAfterMs: number;
      /**
       * The attempt was stopped by its caller or by a wall clock that was set, or its turn had not come: it is not
       * counted.
       */
      readonly interrupted?: true;
      /** What the handler threw, or what stopped it. */
      readonly error: EventError;
    })
  /** Its handler threw a `RetryableError` with `counted: false`: the attempt is not counted. */
  | (EndOfAttempt<'pending'> & {
      readonly type: 'deferred';
      /** Milliseconds until it can be claimed again. */
      readonly retryAfterMs: number;
      /** What the handler threw. */
      readonly error: EventError;
    })
  | (EndOfAttempt<'pending'> & {
      readonly type: 'lease-lost' | 'unrecorded';
      /** What the handler threw. Undefined when it returned. */
      readonly error?: EventError;
    })
  | (EndOf<'succeeded' | 'failed'> & { readonly type: 'replayed' })
  /** `suspect`: its last two attempts died, and another such message is running; it waits for its turn. */
  | (EndOf<'pending'> & {
      readonly type: 'in-flight' | 'backing-off' | 'suspect';
      /** As in the outcome: milliseconds until a redelivery can have another outcome. */
      readonly retryAfterMs: number;
    })
  /** The transaction of a batch was rolled back: nothing is counted, and its messages run one by one. */
  | (OfMessage & {
      readonly type: 'batch-undone';
      /** How many. */
      readonly messages: number;
      /** What the handler threw, or why the transaction could not commit. */
      readonly error: EventError;
    })
  /** A claim whose reply was lost has landed, and was undone: it counts nothing. */
  | (OfMessage & { readonly type: 'taken-back' })
  | (EndOf<'pending'> & { readonly type: 'mismatch' | 'aborted' })
  /** Lines of the table `failures` that were not written, since there were too many or the database refused them. */
  | (OfMessage & {
      readonly type: 'failures-dropped';
      /** How many. */
      readonly lines: number;
    })
  /** With `waitMs`: the owner's outcome came; it was gone, and this call has the message; it still has it. */
  | (OfMessage & { readonly type: 'wait-hit' | 'wait-miss' | 'wait-timeout' })
  /** A statement failed. With a `state` it has ended the call; without one it may be sent again. */
  | (OfMessage &
      Partial<EndOf<'pending'>> & {
        readonly type: 'store-error';
        /** `check`: `checkStore` failed. `lookup`: `lookup` failed. */
        readonly verb: 'claim' | 'settle' | 'extend' | 'keep' | 'check' | 'lookup';
        /** A `StoreError`, `SchemaError` or `DamagedRecordError`. */
        readonly error: EventError;
      });

/**
 * The types of events. `counts()` counts by them.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type HandleOnceEventType = HandleOnceEvent['type'];
