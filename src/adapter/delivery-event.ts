import type { EventError } from '../reporting/event-error.ts';
import type { Ending } from '../words/endings.ts';
import type { DeadLetterReason } from './dead-letter.ts';

/** Why the broker must deliver a message again. */
export type KeptReason =
  | Exclude<Ending, 'succeeded'>
  /** The dead-letter queue or topic did not take it. */
  | 'dead-letter-refused';

interface OfKey {
  /** As in the events of `handleOnce`; empty when the message has no key, or was not started. */
  readonly key: string;
}

/** How a delivery was handled. Bodies, keys and values of messages are never part of an event. */
export type HandlingEvent =
  /** Answered from its record: the handler did not run. */
  | (OfKey & {
      readonly type: 'replayed';
      /** Of the record. */
      readonly state: 'succeeded' | 'failed';
    })
  /** A copy is in the dead letters. */
  | (OfKey & {
      readonly type: 'dead-lettered';
      /** The URL of the queue, or the name of the topic. */
      readonly to: string;
      /** `failed`: it failed permanently, as its record says. The others were refused: their handler did not run. */
      readonly reason: DeadLetterReason;
      /** The error that it was refused with. */
      readonly error?: EventError;
      /** If a queue limits the attributes of a message: attributes of handle-once that did not fit into the copy. */
      readonly droppedAttributes?: readonly string[];
    })
  /** The dead-letter queue or topic did not take it; it is kept. */
  | (OfKey & {
      readonly type: 'dead-letter-error';
      /** The URL of the queue, or the name of the topic. */
      readonly to: string;
      /** What the broker's client threw. */
      readonly error: EventError;
    })
  /** The message is done with: its broker need not deliver it again. */
  | (OfKey & { readonly type: 'acknowledged' });

/** The message stays with its broker, which delivers it again. */
export interface KeptEvent<Reason extends string = KeptReason> extends OfKey {
  readonly type: 'kept';
  /** Why the broker must deliver it again. */
  readonly reason: Reason;
  /**
   * What was thrown, if the reason is not an outcome: by `handleOnce`, or by the destination that refused the dead
   * letter.
   */
  readonly error?: EventError;
}
