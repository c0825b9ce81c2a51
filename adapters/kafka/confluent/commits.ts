import { RebalanceError } from '../client/feeds.ts';
import { called, CODES, codeOf, type ConfluentPlace, type NativeConsumer } from './native.ts';

/** What the group answers to one that has to join it again. */
const ENDS_MEMBERSHIP: ReadonlySet<unknown> = new Set([
  CODES.illegalGeneration,
  CODES.unknownMember,
  CODES.rebalanceInProgress,
]);

interface Pending {
  readonly place: ConfluentPlace;
  readonly answer: (error: unknown) => void;
}

/**
 * Commits of a consumer, each until the broker has answered it.
 *
 * The client calls back as soon as it has taken a commit in, and sends it later. What the broker has answered it tells
 * by an event.
 */
export class Commits {
  readonly #consumer: NativeConsumer;
  readonly #pending = new Set<Pending>();

  constructor(consumer: NativeConsumer) {
    this.#consumer = consumer;
    consumer.on('offset.commit', (error, places) => {
      for (const place of places) this.#answer(place, error);
    });
  }

  /** Throws what the broker has refused it with: a `RebalanceError` where the group goes on without this member. */
  async commit(place: ConfluentPlace): Promise<void> {
    try {
      await called((answer) => {
        const pending = { place, answer };
        this.#pending.add(pending);
        this.#consumer.commitCb([place], (error) => {
          if (error !== null && error !== undefined) this.#end(pending, error);
        });
      });
    } catch (error) {
      if (!ENDS_MEMBERSHIP.has(codeOf(error))) throw error;
      throw new RebalanceError('the group goes on without this member', { cause: error });
    }
  }

  /** The consumer has left: nothing is answered any more. */
  end(): void {
    for (const pending of this.#pending) {
      this.#end(pending, new Error('the consumer left its group before the commit was answered'));
    }
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
  }
}

function isSame(one: ConfluentPlace, other: ConfluentPlace): boolean {
  return one.topic === other.topic && one.partition === other.partition && one.offset === other.offset;
}
