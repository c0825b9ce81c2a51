import type { BatchEvent, RunConfig } from '../../../../adapters/kafka/log/kafkajs-types.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import type { FoundSlice } from '../broker/broker.ts';
import { isOfType, isRebalancing } from '../broker/errors.ts';
import type { GroupMember } from './member.ts';
import type { Positions } from './offsets.ts';
import { payloadOf } from './payload.ts';
import { retrying } from './retrier.ts';

export interface RunnerOptions {
  readonly clock: Clock;
  readonly member: GroupMember;
  readonly config: RunConfig;
  readonly nodes: readonly number[];
  readonly onBatchStart: (payload: BatchEvent['payload']) => void;
  readonly onBatchEnd: (payload: BatchEvent['payload']) => void;
  readonly onCrash: (error: Error) => void;
}

/**
 * Fetches from each broker and hands what has come to the handler; from a broker again when all of it is done with.
 *
 * What a fetch or a handler throws stops all of them. They start again, five times; the tries are counted over all the
 * time since the group has met, however far apart they are.
 */
export class Runner {
  readonly #options: RunnerOptions;
  #isRunning = false;
  #fetchers: Fetcher[] = [];
  #consuming: Promise<void> = Promise.resolve();
  #atWork = 0;
  readonly #queue: (() => Promise<void>)[] = [];

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  async start(): Promise<void> {
    const { member, onCrash } = this.#options;
    try {
      await member.joinAndSync();
    } catch (error) {
      onCrash(error as Error);
      return;
    }
    this.#isRunning = true;
    this.#consuming = this.#consume();
  }

  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    try {
      await this.#stopFetchers();
      await this.#consuming;
      await this.#options.member.leave();
    } catch {
      // The group learns of it when the session is over.
    }
  }

  async commit(positions: Positions): Promise<void> {
    if (!this.#isRunning) return;
    const { clock, member } = this.#options;
    await retrying(clock, async () => {
      try {
        await member.offsets.commit(positions);
      } catch (error) {
        if (this.#isRunning) throw error;
      }
    });
  }

  async heartbeat(): Promise<void> {
    const { member } = this.#options;
    try {
      await member.heartbeat();
    } catch (error) {
      if (isRebalancing(error)) await member.offsets.commit();
      throw error;
    }
  }

  async #consume(): Promise<void> {
    const { clock, onCrash } = this.#options;
    try {
      while (this.#isRunning) await retrying(clock, () => this.#fetchAndJoinAgain());
    } catch (error) {
      // It is stopped by who is told: that must not wait for itself.
      this.#consuming = Promise.resolve();
      onCrash(error as Error);
      this.#isRunning = false;
    }
  }

  async #fetchAndJoinAgain(): Promise<void> {
    const { member } = this.#options;
    if (!this.#isRunning) return;
    try {
      await this.#fetchAll();
    } catch (error) {
      if (isOfType(error, 'UNKNOWN_MEMBER_ID')) member.forgetMembership();
      else if (!isRebalancing(error)) throw error;
      await member.joinAndSync();
    }
  }

  async #fetchAll(): Promise<void> {
    this.#fetchers = this.#options.nodes.map((node) => new Fetcher(() => this.#fetchFrom(node)));
    try {
      await Promise.all(this.#fetchers.map((fetcher) => fetcher.run()));
    } catch (error) {
      await this.#stopFetchers();
      throw error;
    }
  }

  async #stopFetchers(): Promise<void> {
    await Promise.all(this.#fetchers.map((fetcher) => fetcher.stop()));
  }

  async #fetchFrom(node: number): Promise<(() => Promise<void>) | undefined> {
    if (!this.#isRunning) return undefined;
    const slices = await this.#options.member.fetch(node);
    if (slices.length === 0) {
      await this.heartbeat();
      return undefined;
    }
    return () => this.#handleAll(slices);
  }

  /** With as many at once as the consumer may have. */
  async #handleAll(slices: readonly FoundSlice[]): Promise<void> {
    const handled = slices.map(
      (slice) =>
        new Promise<void>((resolve, reject) => {
          this.#queue.push(() => this.#handle(slice).then(resolve, reject));
        }),
    );
    this.#work();
    for (const result of await Promise.allSettled(handled)) {
      if (result.status === 'rejected') throw result.reason;
    }
  }

  #work(): void {
    const { partitionsConsumedConcurrently } = this.#options.config;
    while (this.#atWork < partitionsConsumedConcurrently) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#atWork += 1;
      void next().then(() => {
        this.#atWork -= 1;
        this.#work();
      });
    }
  }

  async #handle(slice: FoundSlice): Promise<void> {
    if (!this.#isRunning) return;
    const { member, config, onBatchStart, onBatchEnd } = this.#options;
    const { topic, partition, records, to } = slice;
    const event = { topic, partition, batchSize: records.length, lastOffset: String(to - 1) };
    if (records.length === 0) {
      if (to > slice.from) {
        member.offsets.resolve(slice, to);
        await member.offsets.commitIfDue();
        onBatchEnd(event);
      }
      await this.heartbeat();
      return;
    }
    onBatchStart(event);
    try {
      await config.eachBatch(payloadOf(slice, this, member));
    } catch (error) {
      await member.offsets.commit();
      throw error;
    }
    onBatchEnd(event);
    await member.offsets.commit();
    await this.heartbeat();
  }
}

/** Fetches from one broker, again and again. */
class Fetcher {
  readonly #fetch: () => Promise<(() => Promise<void>) | undefined>;
  #isRunning = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(fetch: () => Promise<(() => Promise<void>) | undefined>) {
    this.#fetch = fetch;
  }

  run(): Promise<void> {
    this.#isRunning = true;
    const work = this.#loop();
    this.#ended = work.catch(() => undefined);
    return work;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#ended;
  }

  /** It can have been stopped while something was awaited. */
  #goesOn(): boolean {
    return this.#isRunning;
  }

  async #loop(): Promise<void> {
    try {
      while (this.#isRunning) {
        const handle = await this.#fetch();
        if (this.#goesOn()) await handle?.();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
