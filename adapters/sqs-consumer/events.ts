import type {
  AcknowledgedEvent,
  HandlingEvent,
  KeptEvent,
  KeptReason as CommonReason,
} from '../../src/adapter-kit.ts';
import type { EventError } from '../../src/index.ts';

interface OfMessage {
  readonly messageId: string;
}

/** Why a message was kept in the queue. */
export type KeptReason =
  | CommonReason
  /** An earlier one of its FIFO group was kept. It was not started, and nothing is counted. */
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

/**
 * Everything that becomes of a message, but for what sqs-consumer tells itself. It is acknowledged when it is given to
 * sqs-consumer, which deletes it.
 */
export type SqsConsumerEvent =
  | (OfMessage & (HandlingEvent | AcknowledgedEvent))
  | (OfMessage &
      KeptEvent<KeptReason> & {
        /** When the queue shows it again; undefined when its visibility was not touched. */
        readonly visibleAfterSeconds: number | undefined;
      })
  | (OfMessage & {
      readonly type: 'queue-error';
      readonly key: string;
      readonly verb: 'change-visibility';
      readonly error: EventError;
    })
  | { readonly type: 'warning'; readonly warning: SqsConsumerWarning; readonly message: string };
