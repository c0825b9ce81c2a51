import type { HandlingEvent, KeptEvent, KeptReason } from '../../../src/adapter-kit.ts';
import type { WarningEvent } from '../../shared/warn.ts';
import type { EventError } from '../../../src/index.ts';

interface OfPartition {
  /** As the consumer has it: the name of the retry topic for a copy in one. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
}

interface OfPlace extends OfPartition {
  /** A whole number, as text: it can be above what a number holds. */
  readonly offset: string;
}

interface OfCopy extends OfPlace {
  /** As in the events of `handleOnce`. */
  readonly key: string;
  /** The name of the retry topic. */
  readonly to: string;
}

/**
 * Why a message, and with it the rest of its partition, is kept: its offset is not committed.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type KafkaKeptReason =
  | KeptReason
  /** The retry topic did not take it. */
  | 'retry-refused';

/**
 * Names of findings: settings that work, but at a cost, and problems that need a person.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type KafkaWarning =
  | 'PARTITION_STUCK'
  | 'CONSUMER_STOPPED'
  | 'RETENTION_TOO_SHORT'
  | 'TOPIC_UNREADABLE'
  | 'START_NOT_COMMITTED'
  | 'DEAD_LETTER_TOPIC_CONSUMED'
  | 'RETRY_TOPIC_NOT_CONSUMED'
  | 'COPY_MISMATCH'
  | 'HEARTBEAT_TOO_RARE'
  | 'MAX_WAIT_TOO_LONG'
  | 'LEASE_OUTLIVES_SESSION'
  | 'POOL_TOO_SMALL'
  | 'THREADS_TOO_FEW';

/**
 * What has changed: where it is read from, where it ends, or which message has an offset.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type LogChange = 'position-moved' | 'end-went-back' | 'content-changed';

/**
 * Everything that happens to a message's offset. When a message is acknowledged its offset may be committed, as soon as
 * everything before it is too.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type KafkaEvent =
  | (OfPlace & (HandlingEvent | KeptEvent<KafkaKeptReason>))
  /** A copy waits in a retry topic, and the message is acknowledged. */
  | (OfCopy & { readonly type: 'retry-produced' })
  /** The retry topic did not take it; it is kept. */
  | (OfCopy & {
      readonly type: 'retry-error';
      /** What the producer threw. */
      readonly error: EventError;
    })
  /** Fetched no more until then, with whatever of it is not acknowledged. */
  | (OfPartition & {
      readonly type: 'partition-paused';
      /** Milliseconds until it is fetched again: the shortest wait of its messages. */
      readonly retryAfterMs: number;
    })
  /**
   * The log is not the one that was read, or is read from elsewhere: after a seek, after offsets were out of range, and
   * when a topic was made again. What was fetched before is not taken for acknowledged any more.
   */
  | (OfPartition & {
      readonly type: 'log-changed';
      /** Says what the two offsets are: positions, ends, or the same offset twice, whose message is a different one. */
      readonly reason: LogChange;
      /** The offset before. */
      readonly expected: string;
      /** The offset now. */
      readonly found: string;
    })
  /** Another member has it now; its handlers' signals are aborted. */
  | (OfPartition & { readonly type: 'partition-lost' })
  | {
      readonly type: 'client-error';
      /**
       * `resolve`: the client was given the offset to read from. `watch`: the admin client was asked about topics.
       * `fetch`: the client asked the broker, and continues by itself.
       */
      readonly verb: 'heartbeat' | 'resolve' | 'commit' | 'watch' | 'fetch';
      /** What the client threw. */
      readonly error: EventError;
    }
  | WarningEvent<KafkaWarning>;
