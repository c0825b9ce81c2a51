import type { HandlingEvent, KeptEvent, KeptReason } from '../../src/adapter-kit.ts';
import type { WarningEvent } from '../shared/warn.ts';
import type { EventError } from '../../src/index.ts';

interface OfMessage {
  /** The `MessageId` of SQS: the same at each delivery, and not the key where `key` is given. */
  readonly messageId: string;
}

/** Why a message was kept in the queue. May grow in a minor version: a `switch` needs a `default`. */
export type SqsKeptReason =
  | KeptReason
  /** Its visibility timeout had lapsed: its receipt handle may reach the message of another worker. */
  | 'lapsed'
  /** The queue did not take the call. */
  | 'queue-error';

/**
 * Names of findings about settings that work, but with a loss or at a cost.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type SqsWarning =
  | 'VISIBILITY_TIMEOUT_TOO_SHORT'
  | 'RETENTION_TOO_SHORT'
  | 'MAX_RECEIVE_COUNT_TOO_LOW'
  | 'NO_REDRIVE_POLICY'
  | 'REDRIVE_MOVES_GROUP'
  | 'QUEUE_ATTRIBUTES_UNREADABLE'
  | 'DEAD_LETTER_QUEUE_TOO_SMALL'
  | 'DEAD_LETTER_ATTRIBUTES_DROPPED'
  | 'DEFERRED_IN_GROUP'
  | 'POOL_TOO_SMALL';

/**
 * Everything that happens to a message at the queue, where it is acknowledged when it is deleted.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type SqsEvent =
  | (OfMessage & {
      readonly type: 'received';
      /**
       * SQS's own count of receives, which redeliveries of a message in flight raise too. Undefined if the queue does
       * not report it.
       */
      readonly receiveCount: number | undefined;
    })
  | (OfMessage & HandlingEvent)
  | (OfMessage &
      KeptEvent<SqsKeptReason> & {
        /** When it becomes visible again; undefined if its visibility was not changed. */
        readonly visibleAfterSeconds: number | undefined;
      })
  /** A heartbeat has kept it invisible for longer. */
  | (OfMessage & {
      readonly type: 'visibility-extended';
      /** From now. */
      readonly seconds: number;
    })
  /** Returned to the queue without having been started: the worker stops, or its group had to wait. */
  | (OfMessage & { readonly type: 'returned' })
  /**
   * The queue refused to keep it invisible, or did so for 12 hours (`TWELVE_HOURS`); the worker touches it no more. Its
   * handler goes on under its lease, and a redelivery is answered from the record.
   */
  | (OfMessage & {
      readonly type: 'visibility-lost';
      /** That of SQS, or `TWELVE_HOURS`. */
      readonly code: string;
    })
  | {
      readonly type: 'queue-error';
      /** The name of the queue. */
      readonly queue: string;
      /** The call that failed. */
      readonly verb: 'receive' | 'delete' | 'change-visibility';
      /** Undefined if the call is not about a single message. */
      readonly messageId?: string;
      /** What the client threw, or the queue answered. */
      readonly error: EventError;
    }
  | (WarningEvent<SqsWarning> & {
      /** The name of the queue, where the finding is about it. */
      readonly queue?: string;
    });
