import type { EventError } from '../../src/index.ts';
interface OfMessage {
  readonly messageId: string;
}

interface OfKey extends OfMessage {
  /** As `handleOnce` tells it in its own events; empty when the message has none, or was not started. */
  readonly key: string;
}

/** Why a message was left in the queue. */
export type LeftReason =
  | 'in-flight'
  | 'released'
  | 'suspect'
  | 'lease-lost'
  | 'unrecorded'
  | 'failed'
  | 'mismatch'
  | 'invalid-key'
  | 'store-error'
  | 'aborted'
  | 'error'
  /** Its visibility timeout had lapsed: its receipt handle may reach somebody else's message. */
  | 'lapsed'
  /** The queue, or the dead-letter queue, did not take the call. */
  | 'queue-error';

/** Names of what works, and loses something or costs something. */
export type SqsWarning =
  | 'VISIBILITY_TIMEOUT_TOO_SHORT'
  | 'RETENTION_TOO_SHORT'
  | 'MAX_RECEIVE_COUNT_TOO_LOW'
  | 'NO_REDRIVE_POLICY'
  | 'QUEUE_ATTRIBUTES_UNREADABLE'
  | 'DEAD_LETTER_ATTRIBUTES_DROPPED'
  | 'POOL_TOO_SMALL';

/** Everything that happens to a message at the queue. Bodies are never part of an event. */
export type SqsEvent =
  | (OfMessage & { readonly type: 'received'; readonly receiveCount: number | undefined })
  | (OfKey & { readonly type: 'replayed'; readonly state: 'succeeded' | 'failed' })
  | (OfKey & { readonly type: 'deleted' })
  | (OfKey & {
      readonly type: 'dead-lettered';
      readonly deadLetterQueueUrl: string;
      /** Those of HandleOnceScope, -Key, -Error and -Attempts that found no room in the copy. */
      readonly droppedAttributes: readonly string[];
    })
  | (OfKey & {
      readonly type: 'left';
      readonly reason: LeftReason;
      /** When the queue shows it again; undefined when it was not touched. */
      readonly visibleAfterSeconds: number | undefined;
      readonly error?: EventError;
    })
  /** Returned to the queue without having been started: the worker stops, or its group had to wait. */
  | (OfMessage & { readonly type: 'given-back' })
  /**
   * The queue refused to keep it invisible, or did so for 12 hours (`TWELVE_HOURS`); the worker touches it no more. Its
   * handler goes on under its lease, and a redelivery is answered from the record.
   */
  | (OfMessage & { readonly type: 'visibility-lost'; readonly code: string })
  | {
      readonly type: 'queue-error';
      readonly verb: 'receive' | 'delete' | 'change-visibility' | 'dead-letter';
      readonly messageId?: string;
      readonly error: EventError;
    }
  | { readonly type: 'warning'; readonly warning: SqsWarning; readonly message: string };
