import type { Counts } from '../../src/index.ts';
import type { LogListener, Place } from './log/log-client.ts';
import type { KafkaEvent } from './log/events.ts';
import { idOf } from './log/place-id.ts';
import type { PartitionTracker } from './partition/partition-tracker.ts';
import type { StoreReach } from '../shared/store-health.ts';

/** What consumers of all clients report about their work. */
export interface KafkaMonitor {
  /** How often each type of event happened. */
  counts(): Counts<KafkaEvent['type']>;
  /**
   * What the consumer knows about itself, for the probes of an orchestrator. It answers at once, and never throws.
   *
   * It costs no round trip, except when the last answer of the store is ten seconds old: then one read of the store
   * (`checkStore`) begins, for the next call.
   */
  health(): KafkaHealth;
}

/** What a consumer knows about itself. */
export interface KafkaHealth {
  /**
   * Whether its process is worth keeping. False once the client has given up (`CONSUMER_STOPPED`), or another consumer
   * that ran this config has. It stays true when a broker or a database is down: a restart does not help then.
   */
  readonly live: boolean;
  /**
   * Whether messages of all its partitions are handled now: it has joined its group, the store is reachable, and no
   * partition is held.
   */
  readonly ready: boolean;
  /** Whether the store can be used, by its last answer; `unknown` before the first. */
  readonly store: 'reachable' | 'unreachable' | 'unknown';
  /** Those that it is assigned and has fetched. */
  readonly partitions: readonly PartitionHealth[];
  /**
   * Those that it is assigned and does not fetch, because their start is not known to be committed. Most are held for a
   * moment after a rebalance; those of retry topics for as long as the warning `START_NOT_COMMITTED` is given. On
   * platformatic's client also those that cannot be read, those of a topic that is not the worker's, and partition 0 of
   * a topic that does not exist.
   */
  readonly held: readonly HeldPartition[];
}

/** A partition that is not fetched yet. */
export interface HeldPartition {
  /** As the consumer has it. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
}

/** How one partition has progressed. Offsets are whole numbers, as text: they can be above what a number holds. */
export interface PartitionHealth {
  /** As the consumer has it. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
  /** Everything below it is acknowledged. Undefined before the first fetch, and after your own seek. */
  readonly position: string | undefined;
  /** Where the partition ended when it was last fetched. */
  readonly end: string | undefined;
  /** When the position last advanced, in this process. Undefined before. */
  readonly progressAt: Date | undefined;
}

/** Whether a consumer has its place in the group. */
export type Membership = 'away' | 'joined' | 'ended';

/** The same listener, which also follows the membership. */
export function withMembership(listener: LogListener): {
  readonly listener: LogListener;
  readonly membership: () => Membership;
} {
  let membership: Membership = 'away';
  let isMisused = false;
  return {
    membership: () => (isMisused ? 'ended' : membership),
    listener: {
      ...listener,
      joined(assignment) {
        membership = 'joined';
        listener.joined(assignment);
      },
      stopped() {
        if (membership === 'joined') membership = 'away';
        listener.stopped();
      },
      crashed(error, restart) {
        membership = restart ? 'away' : 'ended';
        listener.crashed(error, restart);
      },
      misused(error) {
        isMisused = true;
        listener.misused(error);
      },
    },
  };
}

export function healthOf(
  membership: Membership,
  store: StoreReach,
  trackers: readonly PartitionTracker[],
  held: readonly Place[],
): KafkaHealth {
  return {
    live: membership !== 'ended',
    ready: membership === 'joined' && store === 'reachable' && held.length === 0,
    store,
    partitions: trackers.map(({ topic, partition, position, lastEnd, progressAt }) => ({
      topic,
      partition,
      position: position === undefined ? undefined : String(position),
      end: lastEnd === undefined ? undefined : String(lastEnd),
      progressAt,
    })),
    held: [...new Map(held.map((place) => [idOf(place), place])).values()],
  };
}
