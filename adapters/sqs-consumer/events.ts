import type { EventError } from '../../src/index.ts';
import type { leftReason } from '../../src/adapter-kit.ts';

interface OfMessage {
  readonly messageId: string;
  /** As `handleOnce` tells it in its own events; empty when the message has none, or was not started. */
  readonly key: string;
}

/** Why a message was left in the queue. */
export type LeftReason =
  | ReturnType<typeof leftReason>
  /** The dead-letter queue did not take it. */
  | 'dead-letter-refused'
  /** An earlier one of its FIFO group was left. It was not started, and nothing is counted. */
  | 'behind'
  /** The FIFO queue has no redrive policy, and `onFailed` is not given: nothing of it is handled. */
  | 'no-redrive-policy';

/** Names of what works, and will surprise. */
export type SqsConsumerWarning =
  | 'RETENTION_TOO_SHORT'
  | 'MAX_RECEIVE_COUNT_TOO_LOW'
  | 'NO_REDRIVE_POLICY'
  | 'QUEUE_ATTRIBUTES_UNREADABLE'
  | 'DEAD_LETTER_ATTRIBUTES_DROPPED';

/** Everything that becomes of a message, but for what sqs-consumer tells itself. Bodies are never part of an event. */
export type SqsConsumerEvent =
  | (OfMessage & { readonly type: 'replayed'; readonly state: 'succeeded' | 'failed' })
  /** Given back to sqs-consumer, which deletes it. */
  | (OfMessage & { readonly type: 'settled' })
  | (OfMessage & {
      readonly type: 'dead-lettered';
      readonly deadLetterQueueUrl: string;
      /** Those of HandleOnceScope, -Key, -Error and -Attempts that found no room in the copy. */
      readonly droppedAttributes: readonly string[];
    })
  | (OfMessage & {
      readonly type: 'left';
      readonly reason: LeftReason;
      /** When the queue shows it again; undefined when its visibility was not touched. */
      readonly visibleAfterSeconds: number | undefined;
      readonly error?: EventError;
    })
  | (OfMessage & {
      readonly type: 'queue-error';
      readonly verb: 'change-visibility' | 'dead-letter';
      readonly error: EventError;
    })
  | { readonly type: 'warning'; readonly warning: SqsConsumerWarning; readonly message: string };
