import { type Clock, delay, endsWithin, type Timer } from '../../../src/adapter-kit.ts';
import type { Place } from '../log/log-client.ts';
import { fencedBy, type FencedError, onFailedHeartbeat } from './fenced.ts';
import { isOfNetwork, type NativeConsumer } from './native.ts';

const AGAIN_AFTER_MS = 500;
/** A broker answers nothing on a connection on which it waits for the others of the group. */
const LEAVE_MS = 5_000;
const LOOK_EVERY_MS = 5_000;

export interface MembershipOptions {
  readonly clock: Clock;
  readonly topics: readonly string[];
  /** Called with what this member was assigned, after each rebalance. */
  readonly onJoined: (places: Place[]) => void;
  /** The client has given up the membership. It is joined again. */
  readonly onLost: (error: unknown) => void;
  /** Another member has its place: it is left permanently. */
  readonly onFenced: (error: FencedError) => void;
  /** Reports what is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * A place in the group, until it is left.
 *
 * The client keeps it by heartbeats, and joins again when the group rebalances. It gives up when that fails once: then
 * this class joins, as often as it takes.
 *
 * Topics are tracked only during a join: with every call of the group the client reads about tracked topics, and one
 * that does not exist would fail heartbeats and commits of all.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #consumer: NativeConsumer;
  readonly #tracked = new Set<string>();
  #missing: readonly string[] = [];
  /** Of topics that are not this member's. */
  #foreign: readonly Place[] = [];
  #looks: Timer | undefined;
  #isJoining = false;
  #isOver = false;
  #endListening: (() => void) | undefined;

  constructor(consumer: NativeConsumer, options: MembershipOptions) {
    this.#options = options;
    this.#consumer = consumer;
    consumer.on('consumer:group:join', ({ assignments = [] }) => {
      this.#track([]);
      if (this.#isOver) return;
      const places = assignments.flatMap(({ topic, partitions }) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      options.onJoined(this.#ownOf(places));
    });
    consumer.on('error', (error) => {
      if (this.#isOver || this.lookForFence(error)) return;
      options.onLost(error);
      this.join();
    });
  }

  /** What is not fetched: the first partition of topics that do not exist, and partitions of other topics. */
  unreached(): Place[] {
    return [...this.#missing.map((topic) => ({ topic, partition: 0 })), ...this.#foreign];
  }

  /** Subscribes to the topics that exist. To be called before each join: a missing topic would fail it. */
  async subscribe(): Promise<void> {
    const { topics } = this.#options;
    const found = await Promise.all(topics.map((topic) => this.#isThere(topic)));
    this.#missing = topics.filter((_, n) => found[n] !== true);
    this.#track(topics.filter((_, n) => found[n] === true));
  }

  /** Joins the group, also where it is joined: then the group rebalances. */
  join(): void {
    this.#looks ??= this.#options.clock.setRepeating(() => void this.#look(), LOOK_EVERY_MS);
    this.#endListening ??= onFailedHeartbeat(this.#consumer, (error) => {
      this.lookForFence(error);
    });
    if (!this.#isJoining) void this.#join();
  }

  /** Leaves permanently where an error says that another member has its place. The client does not join again. */
  lookForFence(error: unknown): boolean {
    const fenced = fencedBy(error);
    if (fenced === undefined || this.#isOver) return fenced !== undefined;
    void this.leave();
    this.#options.onFenced(fenced);
    return true;
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    const { clock, onError } = this.#options;
    clock.clearTimer(this.#looks);
    this.#endListening?.();
    await endsWithin(this.#consumer.leaveGroup(true).catch(onError), LEAVE_MS, clock);
  }

  /** A leader on another client can assign what its member does not subscribe to. */
  #ownOf(places: readonly Place[]): Place[] {
    const { topics } = this.#options;
    const isOwn = ({ topic }: Place) => topics.includes(topic);
    this.#foreign = places.filter((place) => !isOwn(place));
    for (const topic of new Set(this.#foreign.map((place) => place.topic))) {
      const message =
        `the group gave this member partitions of ${topic}, which is not among its topics: they are not read. ` +
        'Give all members of the group the same topics';
      this.#report(new Error(message));
    }
    return places.filter(isOwn);
  }

  async #join(): Promise<void> {
    this.#isJoining = true;
    while (!this.#isOver && !(await this.#tryToJoin())) await delay(this.#options.clock, AGAIN_AFTER_MS);
    this.#isJoining = false;
  }

  async #tryToJoin(): Promise<boolean> {
    try {
      this.#track([]);
      await this.#consumer.joinGroup({});
      return true;
    } catch (error) {
      // What has failed since it was left is of no use.
      if (!this.lookForFence(error)) this.#report(error);
      return false;
    }
  }

  /** Looks for brokers, of which the client reads nothing while it tracks no topic, and for missing topics. */
  async #look(): Promise<void> {
    if (this.#isJoining) return;
    try {
      await this.#consumer.metadata({ topics: [], forceUpdate: true });
      const found = await Promise.all(this.#missing.map((topic) => this.#isThere(topic)));
      if (found.includes(true)) this.join();
    } catch (error) {
      this.#report(error);
    }
  }

  async #isThere(topic: string): Promise<boolean> {
    try {
      await this.#consumer.metadata({ topics: [topic], forceUpdate: true });
      return true;
    } catch (error) {
      if (isOfNetwork(error)) throw error;
      this.#report(error);
      return false;
    }
  }

  #track(topics: readonly string[]): void {
    for (const topic of this.#tracked) this.#consumer.topics.untrack(topic);
    this.#tracked.clear();
    for (const topic of topics) {
      this.#consumer.topics.track(topic);
      this.#tracked.add(topic);
    }
  }

  #report(error: unknown): void {
    if (!this.#isOver) this.#options.onError(error);
  }
}
