import type { Clock } from '../../../src/adapter-kit.ts';
import type { Warning } from '../../shared/warn.ts';
import { errorOf } from '../log/error-of.ts';
import type { KafkaWarning } from '../log/events.ts';
import type { Fetch, LogListener, Place } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';
import { Feeds, RebalanceError } from './feeds.ts';
import type { Edges, FeedClient } from './partition-feed.ts';

/** What a session of every client is given. */
export interface SessionRun {
  readonly clock: Clock;
  readonly topics: readonly string[];
  /** Undefined is false. */
  readonly fromBeginning: boolean | undefined;
  readonly listener: LogListener;
  readonly pauses: Pauses;
  readonly handle: (fetch: Fetch) => Promise<void>;
  /** Reports what is tried again, by the client or by the session. */
  readonly onError: (error: unknown) => void;
  readonly onWarning: (found: Warning<KafkaWarning>) => void;
}

/** One run of a consumer, from its connection to its end. */
export abstract class Session implements FeedClient {
  readonly feeds: Feeds;
  readonly #run: SessionRun;
  #isRunning = true;
  #end: Promise<void> | undefined;

  constructor(run: SessionRun) {
    this.#run = run;
    this.feeds = new Feeds(run, this);
  }

  /** Connects. Throws what the client throws. */
  abstract start(): Promise<void>;
  /** Moves the position of a partition, whose feed forgets what has come. */
  abstract moveTo(place: Place, position: bigint): void;
  abstract setFull(place: Place, isFull: boolean): void;
  abstract edgesOf(place: Place): Edges | undefined;
  protected abstract sendCommit(place: Place, position: bigint): Promise<void>;
  /** Leaves the group and disconnects. */
  protected abstract leave(): Promise<void>;

  /** False as soon as it begins to stop. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The partitions of this member that are not fetched, as far as the session itself knows. */
  unreached(): Place[] {
    return [];
  }

  /** Throws a `RebalanceError` where the group continues without this member. */
  async commit(place: Place, position: bigint): Promise<void> {
    this.feeds.checkCommit();
    await this.sendCommit(place, position);
  }

  /** Waits for handlers, commits what they settled, and leaves the group. */
  stop(): Promise<void> {
    this.#end ??= this.#stop();
    return this.#end;
  }

  heartbeat(): Promise<void> {
    return this.feeds.heartbeat();
  }

  /** Stops permanently. Feeds also end with a rebalance, which stops nothing. */
  crash(error: unknown): void {
    if (!this.#isRunning || error instanceof RebalanceError) return;
    this.#run.listener.crashed(errorOf(error), false);
    this.stop().catch(this.#run.onError);
  }

  async #stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([this.feeds.ended(), this.#run.listener.stopping()]);
    await this.leave();
    this.#run.listener.stopped();
  }
}
