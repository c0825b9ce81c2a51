import { type Clock, sleep } from '../../../src/adapter-kit.ts';
import { errorOf } from '../client/error-of.ts';
import { Feeds } from '../client/feeds.ts';
import type { Fetch, LogListener, Place, TopicPartitions } from '../client/log-client.ts';
import type { PartitionFeed } from '../client/partition-feed.ts';
import type { Session } from '../client/session-client.ts';
import { called, CODES, codeOf, kafkaMessageOf, type NativeConsumer, type RdKafkaError } from './native.ts';

/** For so long a call waits for the first message. It keeps a thread of the pool busy meanwhile. */
const WAIT_MS = 100;
const MOST_AT_ONCE = 500;
const SEEK_TIMEOUT_MS = 1_000;
/** After an error, which the client gets over by itself. */
const AGAIN_AFTER_MS = 200;

type RebalanceCallback = (error: RdKafkaError, partitions: Place[]) => void;

export interface SessionOptions {
  readonly clock: Clock;
  readonly topics: readonly string[];
  /** Makes the native consumer, with a callback that takes part in rebalances. */
  readonly createConsumer: (onRebalance: RebalanceCallback) => NativeConsumer;
  readonly listener: LogListener;
  readonly handle: (fetch: Fetch) => Promise<void>;
  /** Reports what the client gets over by itself. */
  readonly onError: (error: unknown) => void;
}

/**
 * One run of a consumer of librdkafka, from its connection to its end.
 *
 * The client is asked for messages all the time, also while handlers run: so no handler is too long for
 * `max.poll.interval.ms`. Partitions are given back only when what is in hand of them has ended, or its time is up.
 */
export class ConfluentSession implements Session {
  readonly #options: SessionOptions;
  readonly #consumer: NativeConsumer;
  readonly #feeds: Feeds;
  #moves: { place: Place; position: bigint; feed: PartitionFeed }[] = [];
  #polling: Promise<void> = Promise.resolve();
  #isStopping = false;
  #isClosing = false;
  #end: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { clock, listener, handle } = options;
    this.#feeds = new Feeds({
      ...{ clock, listener, handle },
      commit: (place, position) => this.commit(place, position),
      isRunning: () => this.isRunning,
      hold: (place, isHeld) => {
        this.#hold(place, isHeld);
      },
      endOf: (place) => this.#endOf(place),
      onCrash: (error) => {
        this.#crash(error);
      },
    });
    this.#consumer = options.createConsumer((error, partitions) => {
      this.#rebalance(error, partitions);
    });
    this.#consumer.on('data', (message) => {
      this.#feeds.of(message)?.receive(kafkaMessageOf(message));
    });
    this.#consumer.on('partition.eof', (end) => {
      this.#feeds.of(end)?.reachEnd(BigInt(end.offset));
    });
    for (const event of ['error', 'event.error'] as const) this.#consumer.on(event, options.onError);
  }

  get isRunning(): boolean {
    return !this.#isStopping;
  }

  /** Connects and subscribes. Throws what the client throws. */
  async start(): Promise<void> {
    await called((done) => this.#consumer.connect({}, done));
    this.#consumer.subscribe([...this.#options.topics]);
    this.#polling = this.#poll();
  }

  /** Waits for what is in hand, commits what it settled, and leaves the group. */
  stop(): Promise<void> {
    this.#end ??= this.#stop();
    return this.#end;
  }

  pause(topic: TopicPartitions): void {
    this.#feeds.pause(topic);
  }

  resume(topic: TopicPartitions): void {
    this.#feeds.resume(topic);
  }

  paused(): Place[] {
    return this.#feeds.paused();
  }

  /** What has come of the partition is forgotten, and nothing is taken in before the client has moved. */
  moveTo(place: Place, position: bigint): void {
    const feed = this.#feeds.ofOwn(place);
    feed.move(position);
    this.#moves = this.#moves.filter((move) => move.feed !== feed);
    this.#moves.push({ place, position, feed });
  }

  commit({ topic, partition }: Place, position: bigint): Promise<void> {
    const place = { topic, partition, offset: Number(position) };
    return called((done) => this.#consumer.commitCb([place], done));
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#feeds.ended(), this.#options.listener.stopping()]);
    this.#isClosing = true;
    await this.#polling;
    this.#consumer.unsubscribe();
    await called((done) => this.#consumer.disconnect(done));
    this.#options.listener.stopped();
  }

  #rebalance(error: RdKafkaError, partitions: Place[]): void {
    if (error.code === CODES.assignPartitions) this.#assign(partitions);
    else void this.#revoke();
  }

  #assign(partitions: readonly Place[]): void {
    const places = partitions.map(({ topic, partition }) => ({ topic, partition }));
    try {
      this.#consumer.assign(places);
      // What was held when it was given back comes back held.
      if (places.length > 0) this.#consumer.resume(places);
    } catch (error) {
      this.#options.onError(error);
    }
    if (!this.#isStopping) this.#feeds.assign(places);
  }

  async #revoke(): Promise<void> {
    await this.#feeds.revoke();
    this.#moves = [];
    try {
      this.#consumer.unassign();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #hold(place: Place, isHeld: boolean): void {
    try {
      this.#consumer[isHeld ? 'pause' : 'resume']([place]);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #endOf({ topic, partition }: Place): bigint | undefined {
    try {
      const { highOffset } = this.#consumer.getWatermarkOffsets(topic, partition);
      return highOffset < 0 ? undefined : BigInt(highOffset);
    } catch {
      // Nothing was fetched of it yet.
      return undefined;
    }
  }

  #crash(error: unknown): void {
    if (this.#isStopping) return;
    this.#options.listener.crashed(errorOf(error), false);
    this.stop().catch(this.#options.onError);
  }

  async #poll(): Promise<void> {
    while (!this.#isClosing) {
      await this.#move();
      try {
        // A count of messages is waited for to its end: one is waited for, and then what has come with it is taken.
        if ((await this.#consume(1, WAIT_MS)) > 0) await this.#consume(MOST_AT_ONCE, 0);
      } catch (error) {
        if (codeOf(error) === CODES.fatal) this.#crash(error);
        else this.#options.onError(error);
        await sleep(this.#options.clock, AGAIN_AFTER_MS);
      }
      this.#feeds.kick();
    }
  }

  #consume(count: number, waitMs: number): Promise<number> {
    this.#consumer.setDefaultConsumeTimeout(waitMs);
    return new Promise((resolve, reject) => {
      this.#consumer.consume(count, (error, messages) => {
        if (error === null || error === undefined) resolve(messages.length);
        else reject(errorOf(error));
      });
    });
  }

  /** Between two calls for messages: what comes after it is of the new positions. */
  async #move(): Promise<void> {
    const moves = this.#moves;
    this.#moves = [];
    for (const move of moves) {
      const { place, position, feed } = move;
      if (this.#feeds.of(place) !== feed || this.#moves.some((later) => later.feed === feed)) continue;
      const to = { ...place, offset: Number(position) };
      try {
        await called((done) => this.#consumer.seek(to, SEEK_TIMEOUT_MS, done));
        if (!this.#moves.some((later) => later.feed === feed)) feed.moved();
      } catch (error) {
        // A partition that has just been assigned cannot be moved yet.
        if (codeOf(error) !== CODES.state) this.#options.onError(error);
        this.#moves.push(move);
      }
    }
  }
}
