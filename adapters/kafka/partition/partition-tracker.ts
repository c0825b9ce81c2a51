import type { Clock } from '../../../src/adapter-kit.ts';
import type { Fetch, Place } from '../log/log-client.ts';
import { AcknowledgedAhead } from './acknowledged-ahead.ts';

/** What a fetch would skip: it begins behind where its partition was left. */
export interface Skipped {
  readonly position: bigint;
  /** Whether no other member can have read on from there. */
  readonly isUncontested: boolean;
  /** How often the client was moved there. */
  readonly tries: number;
}

/** From when a partition becomes ours to when it goes to another member, or the consumer stops. */
export interface Ownership {
  /** Aborts when the partition goes to another member, and when the consumer stops and its time is up. */
  readonly signal: AbortSignal;
  /** Then nothing of it is acknowledged here any more: its messages are delivered again. */
  readonly isOver: boolean;
}

/**
 * One partition for as long as it is ours: how far it is acknowledged, how far that is committed, and what is
 * acknowledged ahead.
 *
 * Everything below its position is acknowledged, on record or by a copy in a retry topic, so that the position may be
 * committed. ARCHITECTURE.md draws it.
 */
export class PartitionTracker implements Place {
  readonly topic: string;
  readonly partition: number;
  readonly #clock: Pick<Clock, 'wall'>;
  readonly #controller = new AbortController();
  #ownership = { signal: this.#controller.signal, isOver: false };
  #position: bigint | undefined;
  #progressAt: number | undefined;
  #committed: bigint | undefined;
  /** From where the next fetch has to be. Undefined when only the client knows. */
  #expected: bigint | undefined;
  /** Where it begins at the latest. Undefined when only the client knows. */
  #latestStart: bigint | undefined;
  #end: bigint | undefined;
  #isMovedByUser = false;
  #tries = 0;
  #ahead = new AcknowledgedAhead();

  constructor({ topic, partition }: Place, clock: Pick<Clock, 'wall'>) {
    this.topic = topic;
    this.partition = partition;
    this.#clock = clock;
  }

  /** Another object after a stop, with the same signal. */
  get ownership(): Ownership {
    return this.#ownership;
  }

  /** Another object after each seek and the like: what ran before must not be taken for acknowledged after it. */
  get ahead(): AcknowledgedAhead {
    return this.#ahead;
  }

  /** The partition is another member's now. */
  end(reason: Error): void {
    this.#ownership.isOver = true;
    this.#controller.abort(reason);
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** The group has rebalanced, and the partition stayed: the client goes on from what is committed. */
  rejoined(): void {
    this.#expected = undefined;
    this.#latestStart = undefined;
    this.#isMovedByUser = false;
  }

  /** The consumer has stopped: what it runs next begins where the group says. */
  stopped(): void {
    this.#ownership.isOver = true;
    this.#ownership = { ...this.#ownership, isOver: false };
    this.rejoined();
    this.#doubt();
  }

  /**
   * The user has moved the position: what was known of it must not be committed over that. Undefined where only the
   * client knows to which offset that is.
   */
  moved(to: bigint | undefined): void {
    this.#position = undefined;
    // Where it goes, the client commits.
    this.#committed = undefined;
    this.#latestStart = to;
    this.#isMovedByUser = true;
  }

  /** Whether that is so since the last rebalance, and nothing was fetched since. */
  get isMovedByUser(): boolean {
    return this.#isMovedByUser;
  }

  /** The client was moved to a position that is committed. */
  startAt(position: bigint): void {
    this.#expected = position;
  }

  /** The client begins where it likes, and must not begin behind a position. A move of the user's stands. */
  startBy(position: bigint): void {
    if (!this.#isMovedByUser) this.#latestStart = position;
  }

  /** How far it was read, or has to begin at the latest, where a fetch begins behind that. */
  skippedBefore({ from }: Fetch): Skipped | undefined {
    const own = this.#isMovedByUser ? this.#latestStart : (this.#expected ?? this.#latestStart);
    const position = own ?? (this.#committed === undefined ? undefined : this.#position);
    if (position === undefined || from <= position) return undefined;
    return { position, isUncontested: own !== undefined, tries: this.#tries };
  }

  countTry(): void {
    this.#tries += 1;
  }

  /** Takes in where a fetch begins. Returns where it should have begun, if that is elsewhere. */
  begin({ from, end }: Fetch): bigint | undefined {
    const expected = this.#expected;
    const hasMoved = expected !== undefined && expected !== from;
    if (hasMoved) this.#doubt();
    this.#goOnAt(from);
    this.#latestStart = undefined;
    this.#isMovedByUser = false;
    this.#tries = 0;
    this.#end = end;
    return hasMoved ? expected : undefined;
  }

  /** The partition ends before where it ended: it may be another log. */
  shortened(end: bigint): void {
    this.#end = end;
    this.#doubt();
  }

  /** Everything below a position is acknowledged, and the client continues from there. */
  advanceTo(position: bigint): void {
    this.#goOnAt(position);
    this.#progressAt = this.#clock.wall();
  }

  /** Everything below it is acknowledged. Undefined before the first fetch, and after a seek of the user's. */
  get position(): bigint | undefined {
    return this.#position;
  }

  /** When the position was last advanced. */
  get progressAt(): Date | undefined {
    return this.#progressAt === undefined ? undefined : new Date(this.#progressAt);
  }

  /** Where the partition ended when it was last fetched. */
  get lastEnd(): bigint | undefined {
    return this.#end;
  }

  /** Whether the group would go on elsewhere than here after a crash. */
  get isUncommitted(): boolean {
    return this.#position !== undefined && this.#position !== this.#committed;
  }

  /** Whether the group has a position of it, as far as is known here. */
  get hasCommitted(): boolean {
    return this.#committed !== undefined;
  }

  /** A position was committed that is not of a fetch: what the group has now is not known. */
  committedElsewhere(): void {
    this.#committed = undefined;
  }

  /** Commits the position, unless it is committed. Throws what the client throws. */
  async commit(through: Pick<Fetch, 'commit'>): Promise<void> {
    const position = this.#position;
    if (position === undefined || position === this.#committed) return;
    await through.commit(position);
    this.#committed = position;
  }

  #goOnAt(position: bigint): void {
    // After a rejoin the client has read what is committed, or begins again, perhaps at the same place, and nothing is.
    if (this.#expected === undefined) this.#committed = undefined;
    this.#position = position;
    this.#expected = position;
  }

  /** Forgets what it knows but the position. */
  #doubt(): void {
    this.#committed = undefined;
    this.#ahead = new AcknowledgedAhead();
  }
}
