import type {
  AcknowledgedEvent,
  HandlingEvent,
  KeptEvent,
  KeptReason as CommonReason,
} from '../../src/adapter-kit.ts';
import type { EventError } from '../../src/index.ts';

interface OfPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/** Why a message, and with it the rest of its partition, is kept: its offset is not committed. */
export type KeptReason =
  | CommonReason
  /** The retry topic did not take it. */
  | 'retry-refused';

/** Names of what works, and will surprise. */
export type KafkaWarning =
  | 'PARTITION_STUCK'
  | 'CONSUMER_STOPPED'
  | 'RETENTION_TOO_SHORT'
  | 'TOPIC_UNREADABLE'
  | 'START_NOT_COMMITTED'
  | 'DEAD_LETTER_TOPIC_CONSUMED'
  | 'RETRY_TOPIC_NOT_CONSUMED'
  | 'HEARTBEAT_TOO_RARE'
  | 'MAX_WAIT_TOO_LONG'
  | 'LEASE_OUTLIVES_SESSION'
  | 'POOL_TOO_SMALL';

/** What has changed: where it was read on, where it ends, or which message stands at an offset. */
export type LogChange = 'position-moved' | 'end-went-back' | 'content-changed';

/**
 * Everything that happens to a message's offset. When a message is acknowledged its offset may be committed, as soon as
 * everything before it is too.
 */
export type KafkaEvent =
  | (OfPlace & (HandlingEvent | AcknowledgedEvent | KeptEvent<KeptReason>))
  /** A copy waits in a retry topic, and the message is acknowledged. */
  | (OfPlace & { readonly type: 'retry-produced'; readonly key: string; readonly to: string })
  /** The retry topic did not take it; it is kept. */
  | (OfPlace & {
      readonly type: 'retry-error';
      readonly key: string;
      readonly to: string;
      readonly error: EventError;
    })
  /** Fetched no more until then, with whatever of it is not settled. */
  | {
      readonly type: 'partition-paused';
      readonly topic: string;
      readonly partition: number;
      readonly retryAfterMs: number;
    }
  /**
   * The log is not the one that was read, or is read from elsewhere: after a seek, after offsets were out of range, and
   * when a topic was made again. What was fetched before is not taken for settled any more.
   */
  | {
      readonly type: 'log-changed';
      readonly topic: string;
      readonly partition: number;
      readonly reason: LogChange;
      readonly expected: string;
      readonly found: string;
    }
  /** Another member has it now; its handlers' signals are aborted. */
  | { readonly type: 'partition-lost'; readonly topic: string; readonly partition: number }
  | {
      readonly type: 'client-error';
      readonly verb: 'heartbeat' | 'resolve' | 'commit' | 'watch';
      readonly error: EventError;
    }
  | { readonly type: 'warning'; readonly warning: KafkaWarning; readonly message: string };
