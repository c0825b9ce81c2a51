import type { Place } from '../log/log-client.ts';
import type { PartitionFeed } from '../client/partition-feed.ts';
import type { NativePartition } from './native.ts';
import { messagesOf, positionBehind } from './records.ts';

/** A partition that is fetched, and where. */
export class Source {
  readonly place: Place;
  readonly #feed: PartitionFeed;
  /** Of the next fetch. Undefined while it is looked for. */
  #position: bigint | undefined;
  #oldest: bigint | undefined;
  #end: bigint | undefined;
  /** The id of the topic as it was first fetched. */
  #topicId: string | undefined;
  isFull = false;
  /** Whether its beginning is looked up now. */
  isBeginning = false;

  constructor(place: Place, feed: PartitionFeed) {
    this.place = place;
    this.#feed = feed;
  }

  get position(): bigint | undefined {
    return this.#position;
  }

  /** The position of the oldest message that is left, when it was last looked for. */
  get oldest(): bigint | undefined {
    return this.#oldest;
  }

  /** The position at the end of the partition, when it was last fetched. */
  get end(): bigint | undefined {
    return this.#end;
  }

  /** Begins there, unless it has a position already. */
  beginAt(position: bigint): void {
    this.#position ??= position;
  }

  /** What has come is forgotten. */
  moveTo(position: bigint): void {
    this.#position = position;
    this.#feed.move(position);
    this.#feed.moved();
  }

  /** What is at its position is not in the log any more. What has come is handled first. */
  goOnAt(oldest: bigint): void {
    this.#oldest = oldest;
    this.#position = oldest;
  }

  /** False where its topic is another of the same name than the one that was fetched. */
  isOf(topicId: string): boolean {
    this.#topicId ??= topicId;
    return this.#topicId === topicId;
  }

  /** Its topic was made again: what has come is of the one before. */
  startAgain(topicId: string, position: bigint): void {
    this.#topicId = topicId;
    this.moveTo(position);
  }

  /** Takes in what a fetch has brought, unless it was moved since. */
  take(partition: NativePartition, from: bigint): void {
    if (from !== this.#position) return;
    this.#end = partition.highWatermark;
    for (const message of messagesOf(partition, from)) this.#feed.receive(message);
    this.#position = positionBehind(partition, from);
    this.#feed.reachEnd(this.#position);
  }
}
