import type { EventError } from '../../reporting/event-error.ts';
import type { HandlingEvent, KeptEvent, KeptReason } from '../delivery-event.ts';

/** Why a message is kept. May grow in a minor version: a `switch` needs a `default`. */
export type OnceEachKeptReason =
  | KeptReason
  /** The broker may have given it to another worker: it was not touched. */
  | 'lapsed'
  /** The broker did not take the call. */
  | 'broker-error';

/** What happens to a message at its broker. May grow in a minor version: a `switch` needs a `default`. */
export type OnceEachEvent =
  | HandlingEvent
  | (KeptEvent<OnceEachKeptReason> & {
      /** When the broker delivers it again. Undefined if the broker was not called. */
      readonly retryAfterMs: number | undefined;
    })
  | {
      readonly type: 'broker-error';
      /** Which of the options `acknowledge`, `retryLater` and `extend` failed. */
      readonly verb: 'acknowledge' | 'retry-later' | 'extend';
      /** Empty until it is known. */
      readonly key: string;
      /** What the option threw. */
      readonly error: EventError;
    };
