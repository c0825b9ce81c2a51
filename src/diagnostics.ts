import type { FailedReason, ResultOmitted } from './outcome.ts';

interface OfMessage {
  readonly scope: string;
  readonly key: string;
}

interface OfAttempt extends OfMessage {
  readonly attempts: number;
}

/**
 * Everything that happens to a message, each as it happens. Payloads and results are never part of an event.
 *
 * Every call of `handleOnce` with a valid key, payload and options ends in one of: `succeeded`, `failed`, `released`, `lease-lost`, `unrecorded` (it ran);
 * `replayed`, `in-flight`, `backing-off`, `suspect` (answered from the record); `mismatch`, `aborted`, `store-error` (it threw).
 */
export type HandleOnceEvent =
  | (OfAttempt & { readonly type: 'claimed' | 'taken-over' })
  | (OfAttempt & { readonly type: 'succeeded'; readonly resultOmitted?: ResultOmitted })
  | (OfAttempt & { readonly type: 'failed'; readonly reason: FailedReason; readonly error: unknown })
  | (OfAttempt & { readonly type: 'released'; readonly retryAfterMs: number; readonly error: unknown })
  | (OfAttempt & { readonly type: 'lease-lost' | 'unrecorded' })
  | (OfAttempt & { readonly type: 'replayed'; readonly state: 'succeeded' | 'failed' })
  | (OfAttempt & { readonly type: 'in-flight' | 'backing-off'; readonly retryAfterMs: number })
  /** Its last two attempts died, and another such message is running: it waits for its turn. */
  | (OfAttempt & { readonly type: 'suspect'; readonly retryAfterMs: number })
  /** A claim whose reply was lost has landed, and was undone: it counts nothing. */
  | (OfMessage & { readonly type: 'taken-back' })
  | (OfMessage & { readonly type: 'mismatch' | 'aborted' })
  /** With `waitMs`: the owner's outcome came; it was gone, and this call has the message; it still has it. */
  | (OfMessage & { readonly type: 'wait-hit' | 'wait-miss' | 'wait-timeout' })
  | (OfMessage & {
      readonly type: 'store-error';
      /** `check`: what `checkStore` found; the key is empty. */
      readonly verb: 'claim' | 'settle' | 'extend' | 'check';
      readonly error: unknown;
    });

export type HandleOnceEventType = HandleOnceEvent['type'];
