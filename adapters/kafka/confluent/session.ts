import { delay, endsWithin } from '../../../src/adapter-kit.ts';
import { errorOf } from '../log/error-of.ts';
import type { Place } from '../log/log-client.ts';
import type { Edges, PartitionFeed } from '../client/partition-feed.ts';
import { Session, type SessionRun } from '../client/session.ts';
import { idOf } from '../log/place-id.ts';
import { Commits } from './commits.ts';
import {
  called,
  CODES,
  codeOf,
  END,
  kafkaMessageOf,
  type NativeConsumer,
  type RdKafkaError,
} from './native.ts';
import { giveThreadBack, takeThread } from './threads.ts';

/** How long a call waits for the first message. It keeps a thread of the pool busy. */
const WAIT_MS = 100;
const MOST_AT_ONCE = 500;
const CALL_TIMEOUT_MS = 1_000;
/** A stop waits no longer for the client, which goes on trying while no broker answers. */
const LEAVE_MS = 5_000;
/** More than the client's own timeouts for a commit: those of a session and of a request, by default 105 s. */
const ANSWERED_MS = 120_000;
/** After an error, which the client gets over by itself. */
const AGAIN_AFTER_MS = 200;

type RebalanceCallback = (error: RdKafkaError, partitions: Place[]) => void;

export interface SessionOptions extends SessionRun {
  /** Their addresses, as the client was given them. */
  readonly brokers: string;
  /** Makes the native consumer, with a callback that takes part in rebalances. */
  readonly createConsumer: (onRebalance: RebalanceCallback) => NativeConsumer;
}

/**
 * One run of a consumer of librdkafka, from its connection to its end.
 *
 * The client is asked for messages all the time, also while handlers run: so no handler is too long for
 * `max.poll.interval.ms`. Partitions are given back only when their handlers have ended, or their time is up.
 */
export class ConfluentSession extends Session {
  readonly #options: SessionOptions;
  readonly #consumer: NativeConsumer;
  readonly #commits: Commits;
  #moves: { place: Place; position: bigint; feed: PartitionFeed }[] = [];
  #polling: Promise<void> = Promise.resolve();
  #assigning: Promise<void> = Promise.resolve();
  /** Another one after each assignment and each revocation. */
  #rebalanceEpoch = {};
  #isClosing = false;

  constructor(options: SessionOptions) {
    super(options);
    this.#options = options;
    this.#consumer = options.createConsumer((error, partitions) => {
      this.#rebalance(error, partitions);
    });
    this.#commits = new Commits(this.#consumer, options.clock);
    this.#consumer.on('data', (message) => {
      this.feeds.of(message)?.receive(kafkaMessageOf(message));
    });
    this.#consumer.on('partition.eof', (end) => {
      this.feeds.of(end)?.reachEnd(BigInt(end.offset));
    });
    for (const event of ['error', 'event.error'] as const) this.#consumer.on(event, options.onError);
  }

  /** Connects and subscribes. Throws what the client throws; where it cannot connect, with the brokers' addresses. */
  async start(): Promise<void> {
    try {
      await called((done) => this.#consumer.connect({}, done));
    } catch (error) {
      const { name, message } = errorOf(error);
      throw new Error(`could not connect to ${this.#options.brokers}: ${name}: ${message}`, { cause: error });
    }
    try {
      this.#consumer.subscribe([...this.#options.topics]);
    } catch (error) {
      await called((done) => this.#consumer.disconnect(done));
      throw error;
    }
    this.#polling = this.#poll();
    const found = takeThread();
    if (found !== undefined) this.#options.onWarning(found);
  }

  /** What has come of the partition is forgotten, and nothing is taken in before the client has moved. */
  moveTo(place: Place, position: bigint): void {
    const feed = this.feeds.ofOwn(place);
    feed.move(position);
    this.#moves = this.#moves.filter((move) => move.feed !== feed);
    this.#moves.push({ place, position, feed });
  }

  setFull(place: Place, isFull: boolean): void {
    try {
      this.#consumer[isFull ? 'pause' : 'resume']([place]);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  edgesOf({ topic, partition }: Place): Edges | undefined {
    try {
      const { lowOffset, highOffset } = this.#consumer.getWatermarkOffsets(topic, partition);
      return {
        ...(lowOffset >= 0 && { oldest: BigInt(lowOffset) }),
        ...(highOffset >= 0 && { end: BigInt(highOffset) }),
      };
    } catch {
      // Nothing was fetched of it yet.
      return undefined;
    }
  }

  protected async sendCommit({ topic, partition }: Place, position: bigint): Promise<void> {
    await this.#commits.commit({ topic, partition, offset: Number(position) });
  }

  protected async leave(): Promise<void> {
    await this.#assigning;
    await endsWithin(this.#disconnect(), LEAVE_MS, this.#options.clock);
  }

  /**
   * The client's end waits for its commits, in a thread that keeps the process from its own end. So it begins when they
   * have been answered, as the client does by itself in the end.
   */
  async #disconnect(): Promise<void> {
    await endsWithin(this.#commits.ended(), ANSWERED_MS, this.#options.clock);
    this.#isClosing = true;
    await this.#polling;
    giveThreadBack();
    this.#consumer.unsubscribe();
    await called((done) => this.#consumer.disconnect(done));
  }

  #rebalance(error: RdKafkaError, partitions: Place[]): void {
    this.#rebalanceEpoch = {};
    if (error.code !== CODES.assignPartitions) {
      void this.#revoke();
      return;
    }
    const places = partitions.map(({ topic, partition }) => ({ topic, partition }));
    if (this.#options.fromBeginning === true || places.length === 0) this.#assign(places);
    else this.#assigning = this.#assignWhenCommittedIsKnown(places);
  }

  /** What is committed is looked up, since the client by itself would begin at the oldest message where nothing is. */
  async #assignWhenCommittedIsKnown(places: Place[]): Promise<void> {
    const epoch = this.#rebalanceEpoch;
    while (this.#rebalanceEpoch === epoch) {
      try {
        const committed = await this.#committedOf(places);
        if (this.#rebalanceEpoch === epoch) this.#assign(places, committed);
        return;
      } catch (error) {
        this.#options.onError(error);
        // The client cannot leave before it has an answer.
        if (!this.isRunning) {
          this.#assign(places);
          return;
        }
      }
      await delay(this.#options.clock, AGAIN_AFTER_MS);
    }
  }

  #committedOf(places: Place[]): Promise<ReadonlySet<string>> {
    return new Promise((resolve, reject) => {
      this.#consumer.committed(places, CALL_TIMEOUT_MS, (error, known) => {
        if (error !== null && error !== undefined) reject(errorOf(error));
        else resolve(new Set(known.filter(({ offset }) => offset !== undefined).map(idOf)));
      });
    });
  }

  /** Those of which nothing is committed begin at their end. */
  #assign(places: Place[], committed?: ReadonlySet<string>): void {
    const isAtEnd = (place: Place): boolean => committed?.has(idOf(place)) === false;
    try {
      this.#consumer.assign(places.map((place) => (isAtEnd(place) ? { ...place, offset: END } : place)));
      // What was paused when it was given back comes back paused.
      if (places.length > 0) this.#consumer.resume(places);
    } catch (error) {
      this.#options.onError(error);
    }
    if (this.isRunning) this.feeds.assign(places);
  }

  async #revoke(): Promise<void> {
    await this.feeds.revoke();
    this.#moves = [];
    try {
      this.#consumer.unassign();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #poll(): Promise<void> {
    while (!this.#isClosing) {
      await this.#move();
      try {
        // A count of messages is waited for to its end: one is waited for, and then what has come with it is taken.
        if ((await this.#consume(1, WAIT_MS)) > 0) await this.#consume(MOST_AT_ONCE, 0);
      } catch (error) {
        if (codeOf(error) === CODES.fatal) this.crash(error);
        else this.#options.onError(error);
        await delay(this.#options.clock, AGAIN_AFTER_MS);
      }
      this.feeds.drain();
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
      if (this.feeds.of(place) !== feed || this.#moves.some((later) => later.feed === feed)) continue;
      const to = { ...place, offset: Number(position) };
      try {
        await called((done) => this.#consumer.seek(to, CALL_TIMEOUT_MS, done));
        if (!this.#moves.some((later) => later.feed === feed)) feed.moved();
      } catch (error) {
        // A partition that has just been assigned cannot be moved yet.
        if (codeOf(error) !== CODES.state) this.#options.onError(error);
        this.#moves.push(move);
      }
    }
  }
}
