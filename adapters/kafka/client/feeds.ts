import type { Clock } from '../../../src/adapter-kit.ts';
import { idOf } from '../log/place-id.ts';
import type { Assignment, Fetch, LogListener, Place } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';
import { PartitionFeed } from './partition-feed.ts';

/** The group rebalances: handlers have to end, before the partitions are given back. */
export class RebalanceError extends Error {
  override readonly name = 'RebalanceError';
}

export interface FeedsOptions {
  readonly clock: Clock;
  readonly listener: LogListener;
  readonly pauses: Pick<Pauses, 'isPaused'>;
  readonly handle: (fetch: Fetch) => Promise<void>;
  readonly commit: (place: Place, position: bigint) => Promise<void>;
  readonly isRunning: () => boolean;
  /** Has the client send nothing more of a partition for now, or go on. */
  readonly hold: (place: Place, isHeld: boolean) => void;
  /** The position of the oldest message that is left in a partition, as far as the client knows it. */
  readonly oldestOf: (place: Place) => bigint | undefined;
  /** The position at the end of a partition, as far as the client knows it. */
  readonly endOf: (place: Place) => bigint | undefined;
  /** Called with what has to stop the consumer. */
  readonly onCrash: (error: unknown) => void;
}

/** The feeds of the partitions that a client has been assigned, from one meeting of the group to the next. */
export class Feeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<string, PartitionFeed>();
  #places: readonly Place[] = [];
  #isRevoking = false;
  #areGivenBack = false;

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  /** The partitions are this member's from now on. */
  assign(places: readonly Place[]): void {
    this.#isRevoking = false;
    this.#areGivenBack = false;
    this.#places = places;
    void this.ended();
    this.#feeds.clear();
    for (const place of places) this.#feeds.set(idOf(place), this.#feedOf(place));
    this.#options.listener.joined(assignmentOf(places));
  }

  /** Resolves when no handler runs of any partition, or its time is up: then they can be given back. */
  async revoke(): Promise<void> {
    this.#isRevoking = true;
    await this.ended();
    this.#feeds.clear();
    this.#areGivenBack = true;
  }

  /** Hands over nothing more. Resolves when no fetch runs. */
  async ended(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.ended()));
  }

  /**
   * Throws between two meetings of the group: the client may be of the next generation already, in which another member
   * can have the partitions.
   */
  checkCommit(): void {
    if (this.#areGivenBack) throw new RebalanceError('the partitions were given back');
  }

  /** Undefined where the partition is not this member's. */
  of(place: Place): PartitionFeed | undefined {
    return this.#feeds.get(idOf(place));
  }

  /** Throws where the partition is not this member's, or is about to be given back. */
  ofOwn(place: Place): PartitionFeed {
    const feed = this.of(place);
    if (feed === undefined || this.#isRevoking) throw notOwn(place);
    return feed;
  }

  /** The partitions of this member that are paused. */
  paused(): Place[] {
    return this.#places.filter((place) => this.#options.pauses.isPaused(place));
  }

  /** Hands over what has come. */
  drain(): void {
    for (const feed of this.#feeds.values()) feed.drain();
  }

  #feedOf(place: Place): PartitionFeed {
    const { clock, listener, pauses, handle, commit, isRunning, hold, oldestOf, endOf, onCrash } =
      this.#options;
    return new PartitionFeed({
      clock,
      place,
      listener,
      handle,
      client: { commit: (position) => commit(place, position), heartbeat: () => this.#beat(), isRunning },
      isPaused: () => pauses.isPaused(place),
      onEnd: (error) => {
        if (!(error instanceof RebalanceError)) onCrash(error);
      },
      hold: (isHeld) => {
        hold(place, isHeld);
      },
      oldest: () => oldestOf(place),
      end: () => endOf(place),
    });
  }

  /** The client sends heartbeats itself; this one says that the group rebalances. */
  #beat(): Promise<void> {
    return this.#isRevoking ? Promise.reject(new RebalanceError('the group rebalances')) : Promise.resolve();
  }
}

/** The error of a call for a partition that is not this member's. */
export function notOwn({ topic, partition }: Place): Error {
  const message =
    `partition ${partition} of ${topic} is not this member's: ` +
    'seek on the member that has it, or when the group has met';
  return new Error(message);
}

function assignmentOf(places: readonly Place[]): Assignment {
  const assignment: Record<string, number[]> = {};
  for (const { topic, partition } of places) (assignment[topic] ??= []).push(partition);
  return assignment;
}
