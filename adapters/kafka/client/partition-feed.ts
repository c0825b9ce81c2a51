import type { Clock } from '../../../src/adapter-kit.ts';
import type { Fetch, KafkaMessage, LogListener, Place } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';

/** A full feed lets its client send nothing more for the partition, until it is low. */
const MOST_MESSAGES = 1_000;
const MOST_BYTES = 4_194_304;
const LOW = 0.25;

/** The positions at which a partition begins and ends, as far as the client knows them. */
export interface Edges {
  readonly oldest?: bigint | undefined;
  readonly end?: bigint | undefined;
}

/** What a feed needs of its client. */
export interface FeedClient {
  readonly isRunning: boolean;
  commit(place: Place, position: bigint): Promise<void>;
  heartbeat(): Promise<void>;
  /** The client sends nothing more of a full partition. */
  setFull(place: Place, isFull: boolean): void;
  edgesOf(place: Place): Edges | undefined;
  /** Called with what has ended a feed. */
  crash(error: unknown): void;
}

export interface FeedOptions {
  readonly clock: Clock;
  readonly listener: Pick<LogListener, 'passedOver'>;
  readonly pauses: Pick<Pauses, 'isPaused'>;
  /** Handles a fetch. Rejects with what has to end the feed. */
  readonly handle: (fetch: Fetch) => Promise<void>;
}

/**
 * The messages of one partition, of a client that pushes them: from the first that is not acknowledged on.
 *
 * What is gathered is handed over as a fetch, one at a time. What a fetch leaves unacknowledged stays here and is
 * handed over again, so that a pause needs no help of the client, and moves no position of it.
 */
export class PartitionFeed {
  readonly #place: Place;
  readonly #client: FeedClient;
  readonly #options: FeedOptions;
  #messages: KafkaMessage[] = [];
  #bytes = 0;
  /** Of the first message that is not acknowledged. Undefined before the first one. */
  #position: bigint | undefined;
  /** Behind the last record that came. */
  #reach: bigint | undefined;
  #end = 0n;
  /** Another after each move. */
  #positionEpoch = {};
  #isMoving = false;
  /** Whether it was moved, and nothing has come since. */
  #hasMoved = false;
  /** What is between is not in the log any more. It goes on behind that, once nothing before it waits here. */
  #gap: { readonly from: bigint; readonly to: bigint } | undefined;
  #isFull = false;
  #isEnded = false;
  #running: Promise<void> | undefined;

  constructor(place: Place, client: FeedClient, options: FeedOptions) {
    this.#place = place;
    this.#client = client;
    this.#options = options;
  }

  /** Takes a message in. It is handed over by the next `drain`. */
  receive(message: KafkaMessage): void {
    if (this.#isMoving || this.#isEnded) return;
    const offset = BigInt(message.offset);
    // The client reads another log at the same place, or was out of range.
    if (this.#reach !== undefined && offset < this.#reach) this.#restart(offset);
    this.#findGap(offset);
    this.#position ??= offset;
    this.#hasMoved = false;
    this.#messages.push(message);
    this.#bytes += bytesOf(message);
    this.#reach = offset + 1n;
    this.#checkFull();
  }

  /** The client has come to the end: records before it that were not delivered never will be. */
  reachEnd(position: bigint): void {
    if (this.#isMoving || this.#isEnded) return;
    this.#findGap(position);
    if (this.#reach === undefined || position > this.#reach) this.#reach = position;
    if (this.#hasMoved) this.#position = undefined;
    this.#hasMoved = false;
    this.drain();
  }

  /** Hands over what has come, unless a fetch runs. */
  drain(): void {
    if (this.#running !== undefined || this.#isEnded) return;
    this.#passOver();
    if (!this.#isDue()) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // It can have become due, or have come to the end, before that.
      this.drain();
    });
  }

  /** Forgets everything: the client moves to a position. Nothing is taken in until `moved`. */
  move(position: bigint): void {
    this.#isMoving = true;
    this.#hasMoved = true;
    this.#restart(position);
  }

  moved(): void {
    this.#isMoving = false;
  }

  /** Hands over nothing more. Resolves when no fetch runs. */
  async ended(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  /** Retention has overtaken a client that goes on behind what is next, where that is before the oldest message. */
  #findGap(next: bigint): void {
    const reach = this.#reach;
    if (reach === undefined || next <= reach || (this.#client.edgesOf(this.#place)?.oldest ?? 0n) <= reach)
      return;
    if (this.#messages.length === 0) this.#restart(next);
    else this.#gap ??= { from: reach, to: next };
  }

  #isDue(): boolean {
    return !this.#isEnded && !this.#isMoving && this.#messages.length > 0 && !this.#isPaused();
  }

  #isPaused(): boolean {
    return this.#options.pauses.isPaused(this.#place);
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDue()) {
        await this.#options.handle(this.#fetch());
        // What is handed over again at once must not keep the process from anything else.
        await this.#yieldToEventLoop();
      }
    } catch (error) {
      this.#isEnded = true;
      this.#client.crash(error);
    }
  }

  #yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.afterInput(resolve);
    });
  }

  /** Reports records that were passed behind the last message that was handled, or that it was moved to the end. */
  #passOver(): void {
    const reach = this.#reach;
    if (this.#messages.length > 0 || reach === undefined || reach === this.#position) return;
    // Where it begins may not be known yet.
    if (this.#isPaused()) return;
    this.#position = reach;
    this.#options.listener.passedOver(this.#place, reach);
  }

  #fetch(): Fetch {
    const place = this.#place;
    const client = this.#client;
    const epoch = this.#positionEpoch;
    const reach = this.#reach ?? 0n;
    const to = this.#gap?.from ?? reach;
    const messages = this.#messages.filter(({ offset }) => BigInt(offset) < to);
    this.#end = client.edgesOf(place)?.end ?? larger(this.#end, reach);
    return {
      ...place,
      messages,
      from: this.#position ?? 0n,
      to,
      end: this.#end,
      advance: (position) => {
        if (epoch !== this.#positionEpoch) return false;
        this.#advance(position);
        return true;
      },
      commit: (position) => client.commit(place, position),
      heartbeat: () => client.heartbeat(),
      isRunning: () => client.isRunning,
      isStale: () => this.#isEnded || epoch !== this.#positionEpoch,
    };
  }

  #advance(position: bigint): void {
    this.#position = position;
    const left = this.#messages.findIndex(({ offset }) => BigInt(offset) >= position);
    const done = this.#messages.splice(0, left === -1 ? this.#messages.length : left);
    for (const message of done) this.#bytes -= bytesOf(message);
    if (this.#gap !== undefined && position >= this.#gap.from) this.#pass(this.#gap.to);
    if (this.#isFull && this.#fullness() <= LOW) this.#setFull(false);
  }

  #pass(position: bigint): void {
    this.#positionEpoch = {};
    this.#gap = undefined;
    this.#position = position;
  }

  #restart(position: bigint): void {
    this.#positionEpoch = {};
    this.#gap = undefined;
    this.#messages = [];
    this.#bytes = 0;
    this.#position = position;
    this.#reach = position;
    if (this.#isFull) this.#setFull(false);
  }

  #checkFull(): void {
    if (!this.#isFull && this.#fullness() >= 1) this.#setFull(true);
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull;
    this.#client.setFull(this.#place, isFull);
  }

  #fullness(): number {
    return Math.max(this.#messages.length / MOST_MESSAGES, this.#bytes / MOST_BYTES);
  }
}

function bytesOf({ key, value, headers }: KafkaMessage): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, given] of Object.entries(headers)) {
    for (const one of [given].flat()) bytes += name.length + (one?.length ?? 0);
  }
  return bytes;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
