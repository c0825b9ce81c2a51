import type { HandlingEvent, KeptEvent, KeptReason } from '../../../src/adapter-kit.ts';
import type { WarningEvent } from '../../shared/warn.ts';
import type { EventError } from '../../../src/index.ts';

interface OfMessage {
  /** The `MessageId` of SQS: the same at each delivery, and not the key where `key` is given. */
  readonly messageId: string;
}

/** Why a message was kept in the queue. May grow in a minor version: a `switch` needs a `default`. */
export type SqsConsumerKeptReason =
  | KeptReason
  /** Its visibility timeout may have lapsed after a standstill of the process: it was not touched, and not deleted. */
  | 'lapsed'
  /** An earlier one of its FIFO group was kept. It was not started, and nothing is counted. */
  | 'behind'
  /** The FIFO queue has no redrive policy, and `onFailed` is not given: nothing of it is handled. */
  | 'no-redrive-policy';

/**
 * Names of findings about settings that work, but at a cost.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type SqsConsumerWarning =
  | 'RETENTION_TOO_SHORT'
  | 'MAX_RECEIVE_COUNT_TOO_LOW'
  | 'NO_REDRIVE_POLICY'
  | 'REDRIVE_MOVES_GROUP'
  | 'QUEUE_ATTRIBUTES_UNREADABLE'
  | 'DEAD_LETTER_QUEUE_TOO_SMALL'
  | 'DEAD_LETTER_ATTRIBUTES_DROPPED'
  | 'DEFERRED_IN_GROUP';

/**
 * Everything that happens to a message, except what sqs-consumer emits itself. A message is acknowledged when it is
 * returned to sqs-consumer, which deletes it.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type SqsConsumerEvent =
  | (OfMessage & HandlingEvent)
  | (OfMessage &
      KeptEvent<SqsConsumerKeptReason> & {
        /** When it becomes visible again; undefined if its visibility was not changed. */
        readonly visibleAfterSeconds: number | undefined;
      })
  | (OfMessage & {
      readonly type: 'queue-error';
      /** The name of the queue. */
      readonly queue: string;
      /** As in the events of `handleOnce`; empty when the message has no key, or was not started. */
      readonly key: string;
      /** The call that failed: the message becomes visible again after its visibility timeout. */
      readonly verb: 'change-visibility';
      /** What the client threw. */
      readonly error: EventError;
    })
  | (WarningEvent<SqsConsumerWarning> & {
      /** The name of the queue, where the finding is about it. */
      readonly queue?: string;
    });
