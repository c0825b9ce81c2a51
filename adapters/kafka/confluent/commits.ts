import { type Clock, endsWithin } from '../../../src/adapter-kit.ts';
import { RebalanceError } from '../client/feeds.ts';
import { called, CODES, codeOf, type ConfluentPlace, type NativeConsumer } from './native.ts';

/** What the group answers to one that has to join it again. */
const ENDS_MEMBERSHIP: ReadonlySet<unknown> = new Set([
  CODES.illegalGeneration,
  CODES.unknownMember,
  CODES.rebalanceInProgress,
]);

/** While no broker answers, the client keeps a commit for longer than a stop may take. */
const ANSWERED_WITHIN_MS = 5_000;

interface Pending {
  readonly place: ConfluentPlace;
  readonly answer: (error: unknown) => void;
}

/**
 * Commits of a consumer, each until the broker has answered it, or for five seconds.
 *
 * The client calls back as soon as it has taken a commit in, and sends it later. The broker's answer comes as an
 * event.
 */
export class Commits {
  readonly #consumer: NativeConsumer;
  readonly #clock: Clock;
  /** Also after their callers have given up. */
  readonly #pending = new Set<Pending>();
  #onAnswered: () => void = () => undefined;

  constructor(consumer: NativeConsumer, clock: Clock) {
    this.#consumer = consumer;
    this.#clock = clock;
    consumer.on('offset.commit', (error, places) => {
      for (const place of places) this.#answer(place, error);
    });
  }

  /** Throws what the broker has refused it with: a `RebalanceError` where the group continues without this member. */
  async commit(place: ConfluentPlace): Promise<void> {
    try {
      if (await endsWithin(this.#answered(place), ANSWERED_WITHIN_MS, this.#clock)) return;
    } catch (error) {
      if (!ENDS_MEMBERSHIP.has(codeOf(error))) throw error;
      throw new RebalanceError('the group continues without this member', { cause: error });
    }
    throw new Error(`no broker has answered the commit within ${ANSWERED_WITHIN_MS} ms`);
  }

  /** Resolves when the client keeps no commit any more: it cannot leave its group before. */
  async ended(): Promise<void> {
    if (this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
    });
  }

  #answered(place: ConfluentPlace): Promise<void> {
    return called((answer) => {
      const pending = { place, answer };
      this.#pending.add(pending);
      this.#consumer.commitCb([place], (error) => {
        if (error !== null && error !== undefined) this.#end(pending, error);
      });
    });
  }

  #answer(place: ConfluentPlace, error: unknown): void {
    // Those of the same position are alike: the first one has it.
    for (const pending of this.#pending) {
      if (isSame(pending.place, place)) {
        this.#end(pending, error);
        return;
      }
    }
  }

  #end(pending: Pending, error: unknown): void {
    this.#pending.delete(pending);
    pending.answer(error);
    if (this.#pending.size === 0) this.#onAnswered();
  }
}

function isSame(one: ConfluentPlace, other: ConfluentPlace): boolean {
  return one.topic === other.topic && one.partition === other.partition && one.offset === other.offset;
}
