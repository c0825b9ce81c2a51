import { idOf } from '../log/place-id.ts';
import type { Assignment, LogListener, Place } from '../log/log-client.ts';
import { type FeedClient, type FeedOptions, PartitionFeed } from './partition-feed.ts';

/** The group rebalances: handlers have to end, before the partitions are given back. */
export class RebalanceError extends Error {
  override readonly name = 'RebalanceError';
}

export interface FeedsOptions extends FeedOptions {
  readonly listener: LogListener;
}

/** The feeds of the partitions that a client has been assigned, from one rebalance to the next. */
export class Feeds {
  readonly #options: FeedsOptions;
  readonly #client: FeedClient;
  readonly #feeds = new Map<string, PartitionFeed>();
  #places: readonly Place[] = [];
  #state: 'assigned' | 'revoking' | 'given back' = 'assigned';

  constructor(options: FeedsOptions, client: FeedClient) {
    this.#options = options;
    this.#client = client;
  }

  /** The partitions are this member's from now on. */
  assign(places: readonly Place[]): void {
    this.#state = 'assigned';
    this.#places = places;
    void this.ended();
    this.#feeds.clear();
    for (const place of places)
      this.#feeds.set(idOf(place), new PartitionFeed(place, this.#client, this.#options));
    this.#options.listener.joined(assignmentOf(places));
  }

  /** Resolves when no handler runs of any partition, or its time is up: then they can be given back. */
  async revoke(): Promise<void> {
    this.#state = 'revoking';
    await this.ended();
    this.#feeds.clear();
    this.#state = 'given back';
  }

  /** Hands over nothing more. Resolves when no fetch runs. */
  async ended(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.ended()));
  }

  /**
   * Throws during a rebalance: the client may be of the next generation already, in which another member can have the
   * partitions.
   */
  checkCommit(): void {
    if (this.#state === 'given back') throw new RebalanceError('the partitions were given back');
  }

  /** The client sends heartbeats itself. This one throws when the group rebalances. */
  heartbeat(): Promise<void> {
    return this.#state === 'assigned'
      ? Promise.resolve()
      : Promise.reject(new RebalanceError('the group rebalances'));
  }

  /** Undefined where the partition is not this member's. */
  of(place: Place): PartitionFeed | undefined {
    return this.#feeds.get(idOf(place));
  }

  /** Throws where the partition is not this member's, or is about to be given back. */
  ofOwn(place: Place): PartitionFeed {
    const feed = this.of(place);
    if (feed === undefined || this.#state !== 'assigned') throw notOwn(place);
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
}

/** The error of a call for a partition that is not this member's. */
export function notOwn({ topic, partition }: Place): Error {
  const message =
    `partition ${partition} of ${topic} is not assigned to this member: seek on the member that has it, or after ` +
    'the rebalance';
  return new Error(message);
}

function assignmentOf(places: readonly Place[]): Assignment {
  const assignment: Record<string, number[]> = {};
  for (const { topic, partition } of places) (assignment[topic] ??= []).push(partition);
  return assignment;
}
