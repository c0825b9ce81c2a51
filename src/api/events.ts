import type { EventError } from '../reporting/event-error.ts';
import type { FailedReason, ResultOmitted } from './outcome.ts';

interface OfMessage {
  readonly scope: string;
  /** Empty where the event is of no message. */
  readonly key: string;
}

interface OfAttempt extends OfMessage {
  readonly attempts: number;
}

interface EndOf<State extends 'succeeded' | 'failed' | 'pending'> extends OfAttempt {
  /** Of the message, as far as this call knows: `pending` means that it is not over. */
  readonly state: State;
  /** Milliseconds, with fractions, from the call of `handleOnce` to its end: waiting, handler and record included. */
  readonly durationMs: number;
}

/**
 * Everything that happens to a message, each as it happens. Payloads and results are never part of an event.
 *
 * Every call of `handleOnce` with a valid key, payload and options ends in one of: `succeeded`, `failed`, `released`,
 * `lease-lost`, `unrecorded` (it ran); `replayed`, `in-flight`, `backing-off`, `suspect` (answered from the record); `mismatch`,
 * `aborted`, `store-error` (it threw). The event that ends a call has `state`, `attempts` and `durationMs`; that of one
 * that threw says `pending` and 0 attempts, whatever the record says.
 */
export type HandleOnceEvent =
  | (OfAttempt & { readonly type: 'claimed' | 'taken-over' })
  | (EndOf<'succeeded'> & { readonly type: 'succeeded'; readonly resultOmitted?: ResultOmitted })
  | (EndOf<'failed'> & {
      readonly type: 'failed';
      readonly reason: FailedReason;
      readonly error: EventError;
    })
  | (EndOf<'pending'> & {
      readonly type: 'released';
      readonly retryAfterMs: number;
      /** The attempt was stopped by its caller, or its turn had not come: it is not counted. */
      readonly interrupted?: true;
      readonly error: EventError;
    })
  /** With the error of the handler, if it threw. */
  | (EndOf<'pending'> & { readonly type: 'lease-lost' | 'unrecorded'; readonly error?: EventError })
  | (EndOf<'succeeded' | 'failed'> & { readonly type: 'replayed' })
  | (EndOf<'pending'> & { readonly type: 'in-flight' | 'backing-off'; readonly retryAfterMs: number })
  /** Its last two attempts died, and another such message is running: it waits for its turn. */
  | (EndOf<'pending'> & { readonly type: 'suspect'; readonly retryAfterMs: number })
  /** A claim whose reply was lost has landed, and was undone: it counts nothing. */
  | (OfMessage & { readonly type: 'taken-back' })
  | (EndOf<'pending'> & { readonly type: 'mismatch' | 'aborted' })
  /** With `waitMs`: the owner's outcome came; it was gone, and this call has the message; it still has it. */
  | (OfMessage & { readonly type: 'wait-hit' | 'wait-miss' | 'wait-timeout' })
  /** A statement failed. It may be sent again: it has ended the call where it has a `state`. */
  | (OfMessage &
      Partial<EndOf<'pending'>> & {
        readonly type: 'store-error';
        /** `check`: what `checkStore` found. */
        readonly verb: 'claim' | 'settle' | 'extend' | 'check';
        readonly error: EventError;
      });

export type HandleOnceEventType = HandleOnceEvent['type'];
