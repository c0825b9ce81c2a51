import { type Clock, endsWithin, sleep } from '../../../src/adapter-kit.ts';
import type { Place } from '../client/log-client.ts';
import type { NativeConsumer } from './native.ts';

const AGAIN_AFTER_MS = 500;
/** A broker answers nothing on a connection on which it waits for the others of the group. */
const LEAVE_MS = 5_000;

export interface MembershipOptions {
  readonly clock: Clock;
  readonly topics: readonly string[];
  /** Called with what the group has given out, each time that it has met. */
  readonly onJoined: (places: Place[]) => void;
  /** The client has given up the membership. It is joined again. */
  readonly onLost: (error: unknown) => void;
  /** Reports what is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * A place in the group, until it is left.
 *
 * The client keeps it by heartbeats, and joins again when the group meets. It gives up when that fails once: then it is
 * told to join, as often as it takes.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #consumer: NativeConsumer;
  #isJoining = false;
  #isOver = false;

  constructor(consumer: NativeConsumer, options: MembershipOptions) {
    this.#options = options;
    this.#consumer = consumer;
    for (const topic of options.topics) consumer.topics.track(topic);
    consumer.on('consumer:group:join', ({ assignments = [] }) => {
      if (this.#isOver) return;
      const places = assignments.flatMap(({ topic, partitions }) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      options.onJoined(places);
    });
    consumer.on('error', (error) => {
      if (this.#isOver) return;
      options.onLost(error);
      this.join();
    });
  }

  /** Joins the group, also where it is joined: then the group meets. */
  join(): void {
    if (!this.#isJoining) void this.#join();
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    const { clock, onError } = this.#options;
    await endsWithin(this.#consumer.leaveGroup(true).catch(onError), LEAVE_MS, clock);
  }

  async #join(): Promise<void> {
    this.#isJoining = true;
    while (!this.#isOver && !(await this.#tryToJoin())) await sleep(this.#options.clock, AGAIN_AFTER_MS);
    this.#isJoining = false;
  }

  async #tryToJoin(): Promise<boolean> {
    try {
      await this.#consumer.joinGroup({});
      return true;
    } catch (error) {
      // What has failed since it was left is of no use.
      this.#tell(error);
      return false;
    }
  }

  #tell(error: unknown): void {
    if (!this.#isOver) this.#options.onError(error);
  }
}
