import { type Clock, delay, type EventSink, isError, onAbort } from '../../../src/adapter-kit.ts';
import { warn } from '../../shared/warn.ts';
import type { Assignments } from './assignments.ts';
import type { Generation } from './generation.ts';
import type { KafkaEvent } from '../log/events.ts';
import { committedIn, endsOf } from '../log/ask-admin.ts';
import { idOf } from '../log/place-id.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import type { Assignment, LogConsumer, Place } from '../log/log-client.ts';
import type { PartitionTracker } from './partition-tracker.ts';
import type { Pauses } from './pauses.ts';
import { type Beginning, NOT_COMMITTED, type Start, startNotCommitted, startOf } from '../log/start-of.ts';

export interface StartOptions {
  readonly clock: Clock;
  readonly client: Pick<LogConsumer, 'commit' | 'moveTo' | 'endsMembership'>;
  readonly pauses: Pick<Pauses, 'hold'>;
  readonly assignments: Pick<Assignments, 'trackers' | 'trackerOf'>;
  readonly admin: LogAdmin;
  readonly groupId: string;
  readonly events: EventSink<KafkaEvent>;
  /**
   * Where a partition begins, by default at its end. `'beginning'` is for retry topics, which are held until it is
   * committed: a copy there is all that is left of its message.
   */
  readonly from?: Beginning;
  /** Ends found so far, in every generation, of partitions without a committed offset. */
  readonly foundEnds?: Map<string, bigint>;
}

/** How long partitions are held in any case, without a warning. */
const PATIENCE_MS = 5_000;
const AGAIN_AFTER_MS = 200;
const LATE_AGAIN_AFTER_MS = 5_000;

/** A partition of which it is not known yet that the group has committed a position to read on from. */
interface OpenPlace extends Place {
  readonly resume: () => void;
  isHeld: boolean;
  /** Found once: what comes after it must not be passed by a second try. */
  start: Start | undefined;
}

/**
 * Commits the start of each partition without a committed offset, before any of its messages is handed over.
 *
 * A consumer that begins at the end commits nothing on an idle partition. What is produced while it restarts would then
 * be before the end at which it begins again, and lost. A position that is not in the log any more counts as none: the
 * client would pass what is still there, so the partition begins with the oldest message that is left.
 *
 * It goes on until all is committed, or the generation is over.
 */
export async function holdStartPositions(
  assignment: Assignment,
  generation: Generation,
  options: StartOptions,
): Promise<void> {
  const topics = Object.entries(assignment);
  await Promise.all(
    topics.map(([topic, partitions]) => new TopicStarts(topic, partitions, generation, options).run()),
  );
}

/**
 * Where the partitions of one topic begin, in one generation. Each is held until that is committed.
 *
 * What takes longer than five seconds is warned of, and goes on in the background: partitions of retry topics stay
 * held, others are fetched.
 */
class TopicStarts {
  readonly #topic: string;
  readonly #open: Map<number, OpenPlace>;
  readonly #generation: Generation;
  readonly #options: StartOptions;
  /** Undefined during a rebalance: it is not late then. */
  #fault: string | undefined = 'there is no answer yet';
  #isOverdue = false;
  #isLate = false;

  constructor(topic: string, partitions: readonly number[], generation: Generation, options: StartOptions) {
    this.#topic = topic;
    this.#generation = generation;
    this.#options = options;
    const open = (partition: number): OpenPlace => {
      const resume = options.pauses.hold({ topic, partition });
      return { topic, partition, resume, isHeld: true, start: undefined };
    };
    this.#open = new Map(partitions.map((partition) => [partition, open(partition)]));
  }

  async run(): Promise<void> {
    const { clock } = this.#options;
    const timer = clock.setTimer(() => {
      this.#isOverdue = true;
      this.#startWithoutCommit();
    }, PATIENCE_MS);
    timer.unref();
    const cancel = onAbort(this.#generation.over, () => {
      for (const place of this.#open.values()) this.#close(place);
    });
    while (!this.#isOver()) {
      const waitMs = await this.#tryOnce();
      // The process may end before that.
      if (!this.#isOver()) await delay(clock, waitMs, { keepsAlive: false });
    }
    clock.clearTimer(timer);
    cancel();
  }

  #isOver(): boolean {
    return this.#open.size === 0;
  }

  /** Returns how long to wait for the next try. */
  async #tryOnce(): Promise<number> {
    try {
      await this.#findStarts();
      await this.#commitStarts();
      await this.#look();
      this.#fault = 'the client has not committed it';
    } catch (error) {
      this.#fault = this.#isOfRebalance(error) ? undefined : messageOf(error);
      if (this.#isOverdue) this.#startWithoutCommit();
    }
    return this.#isLate ? LATE_AGAIN_AFTER_MS : AGAIN_AFTER_MS;
  }

  async #findStarts(): Promise<void> {
    const { admin, from } = this.#options;
    const unknown = [...this.#open.values()].filter(({ start }) => start === undefined);
    if (unknown.length === 0) return;
    const committed = await this.#committedOf(unknown);
    if (this.#isOver()) return;
    for (const ends of await endsOf(admin, this.#topic, partitionsOf(unknown))) {
      const place = unknown.find(({ partition }) => partition === ends.partition);
      const known = committed.get(ends.partition)?.offset;
      if (place === undefined || known === undefined) continue;
      const start = startOf(known, ends, from);
      place.start = start && this.#asFoundFirst(place, start, BigInt(ends.low));
      if (place.start === undefined) this.#close(place);
    }
  }

  /** A commit of an earlier generation can land late: what has come since that found the end must not be passed. */
  #asFoundFirst(place: OpenPlace, { committed, position }: Start, oldest: bigint): Start {
    const { foundEnds } = this.#options;
    if (foundEnds === undefined || committed !== NOT_COMMITTED) return { committed, position };
    const before = foundEnds.get(idOf(place)) ?? position;
    const first = before < position ? before : position;
    foundEnds.set(idOf(place), first);
    return { committed, position: first > oldest ? first : oldest };
  }

  async #commitStarts(): Promise<void> {
    for (const place of this.#open.values()) {
      // One that is closed meanwhile does not come: another member may have it, and have committed more.
      if (place.start === undefined) continue;
      if (this.#hasBegun(place)) this.#close(place);
      else await this.#commit(place, place.start);
    }
  }

  async #commit(place: OpenPlace, { position }: Start): Promise<void> {
    try {
      await this.#options.client.commit(place, position);
    } finally {
      // A client that tries for itself can have sent it behind the commit of a first fetch.
      if (!place.isHeld) this.#trackerOf(place)?.committedElsewhere();
    }
  }

  async #look(): Promise<void> {
    const waiting = [...this.#open.values()].filter(({ start }) => start !== undefined);
    if (waiting.length === 0 || this.#isOver()) return;
    const committed = await this.#committedOf(waiting);
    for (const place of waiting) {
      const found = committed.get(place.partition)?.offset;
      // The client commits nothing before its first fetch.
      if (found === place.start?.committed && !this.#isMovedByUser(place)) continue;
      // What another member has committed stands.
      if (found === String(place.start?.position)) this.#move(place);
      this.#close(place);
    }
  }

  /**
   * Only once it is committed: a client that was frozen would keep the move in mind until it has the
   * partition again, and then pass what others were handling.
   */
  #move(place: OpenPlace): void {
    const { topic, partition, start, isHeld } = place;
    if (start === undefined || !isHeld || this.#hasBegun(place)) return;
    const { client, events } = this.#options;
    client.moveTo(place, start.position);
    this.#options.assignments.trackerOf(place)?.startAt(start.position);
    if (start.committed === NOT_COMMITTED) return;
    const offsets = { expected: start.committed, found: String(start.position) };
    events.emit({ type: 'log-changed', topic, partition, reason: 'position-moved', ...offsets });
  }

  /** Whether it begins elsewhere: where the user has moved it, or where it was fetched when it was no longer held. */
  #hasBegun(place: OpenPlace): boolean {
    if (this.#isMovedByUser(place)) return true;
    return !place.isHeld && this.#trackerOf(place)?.position !== undefined;
  }

  #isMovedByUser(place: OpenPlace): boolean {
    return this.#trackerOf(place)?.isMovedByUser === true;
  }

  #startWithoutCommit(): void {
    if (this.#isLate || this.#isOver() || this.#fault === undefined) return;
    this.#isLate = true;
    for (const place of this.#open.values()) {
      if (this.#trackerOf(place)?.hasCommitted === true) this.#close(place);
      else if (this.#options.from !== 'beginning') this.#letBegin(place);
    }
    if (this.#open.size === 0) return;
    const { from, events } = this.#options;
    warn(startNotCommitted(this.#topic, [...this.#open.keys()], from, this.#fault), events);
  }

  /** The client begins by itself, and is rewound where that is behind the start that was found. */
  #letBegin(place: OpenPlace): void {
    if (place.start !== undefined) this.#options.assignments.trackerOf(place)?.startBy(place.start.position);
    this.#release(place);
  }

  #close(place: OpenPlace): void {
    this.#open.delete(place.partition);
    this.#release(place);
  }

  #release(place: OpenPlace): void {
    if (place.isHeld) place.resume();
    place.isHeld = false;
  }

  #committedOf(places: readonly OpenPlace[]): ReturnType<typeof committedIn> {
    const { admin, groupId } = this.#options;
    return committedIn(admin, groupId, this.#topic, partitionsOf(places));
  }

  #trackerOf({ topic, partition }: Place): PartitionTracker | undefined {
    return this.#options.assignments
      .trackers()
      .find((one) => one.topic === topic && one.partition === partition);
  }

  /** kafkajs wraps the error of a commit. */
  #isOfRebalance(error: unknown): boolean {
    const { client } = this.#options;
    return client.endsMembership(error) || (isError(error) && client.endsMembership(error.cause));
  }
}

function partitionsOf(places: readonly Place[]): number[] {
  return places.map(({ partition }) => partition);
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message : 'unknown error';
}
