import type { EventSink } from '../../../src/adapter-kit.ts';
import type { Generation } from '../partition/generation.ts';
import type { KafkaEvent } from '../log/events.ts';
import type { Fetch, KafkaMessage } from '../log/log-client.ts';
import type { PartitionTracker } from '../partition/partition-tracker.ts';
import type { AcknowledgedAhead } from '../partition/acknowledged-ahead.ts';

export interface ProgressOptions {
  readonly fetch: Fetch;
  readonly tracker: PartitionTracker;
  readonly generation: Generation;
  readonly events: EventSink<KafkaEvent>;
}

/**
 * How far a fetch is acknowledged without a gap.
 *
 * Messages can end in any order, and the client takes the last position that it gets, not the highest. So it gets one
 * only when everything before it is acknowledged. What is acknowledged ahead is remembered for the next fetch.
 */
export class FetchProgress {
  readonly #options: ProgressOptions;
  readonly #ahead: AcknowledgedAhead;
  /** Offsets of this fetch that are acknowledged, and not before the position. */
  readonly #acknowledged = new Set<string>();
  #next = 0;
  #isLive = true;
  #isHalted = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#ahead = options.tracker.ahead;
  }

  /** Whether nothing more of this fetch may start. After its end that is so once the partition was read elsewhere. */
  get isHalted(): boolean {
    return this.#isHalted || (this.isEnded && this.#ahead !== this.#options.tracker.ahead);
  }

  /** Whether only what waits for its turn already may start. */
  get isEnded(): boolean {
    return !this.#isLive;
  }

  halt(): void {
    this.#isHalted = true;
  }

  /** The messages that are not known to be acknowledged. To be called once, before anything runs. */
  unacknowledged(): KafkaMessage[] {
    const { fetch } = this.#options;
    const unknown = fetch.messages.filter((message) => !this.#isRemembered(message));
    this.#advance();
    return unknown;
  }

  acknowledge(message: KafkaMessage): void {
    this.#acknowledged.add(message.offset);
    if (this.#isLive && this.#options.fetch.messages[this.#next] === message) this.#advance();
    else this.#ahead.add(message);
  }

  /** What settles from now on is only remembered: the client may have begun another fetch. */
  end(): void {
    this.#isLive = false;
  }

  #isRemembered(message: KafkaMessage): boolean {
    const found = this.#ahead.look(message);
    if (found === 'acknowledged') this.#acknowledged.add(message.offset);
    if (found === 'other') this.#emitChanged(message);
    return found === 'acknowledged';
  }

  #emitChanged({ offset }: KafkaMessage): void {
    const { fetch, events } = this.#options;
    const { topic, partition } = fetch;
    const offsets = { expected: offset, found: offset };
    events.emit({ type: 'log-changed', topic, partition, reason: 'content-changed', ...offsets });
  }

  #advance(): void {
    const { messages, to } = this.#options.fetch;
    const before = this.#next;
    for (let message = messages[before]; message !== undefined; message = messages[this.#next]) {
      if (!this.#acknowledged.delete(message.offset)) break;
      this.#next += 1;
    }
    const done = messages.slice(before, this.#next);
    const last = done.at(-1);
    if (last === undefined) return;
    this.#advanceTo(this.#next === messages.length ? to : BigInt(last.offset) + 1n, done);
  }

  #advanceTo(position: bigint, done: readonly KafkaMessage[]): void {
    const { fetch, tracker, generation, events } = this.#options;
    if (generation.isOver) return;
    try {
      if (fetch.advance(position)) tracker.advanceTo(position);
      for (const message of done) this.#ahead.delete(message);
    } catch (error) {
      // The client has joined again by itself, and knows nothing of this fetch any more.
      events.emit({ type: 'client-error', verb: 'resolve', error });
      this.#isHalted = true;
    }
  }
}
