import type { Clock } from '../../../src/adapter-kit.ts';
import type { Assignment, Place } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';
import { Generation } from './generation.ts';
import { PartitionTracker } from './partition-tracker.ts';

/** The partitions that are ours, each with its tracker, and our place in the group. */
export class Assignments {
  readonly #onLost: (place: Place) => void;
  readonly #clock: Pick<Clock, 'wall'>;
  readonly #trackers = new Map<string, PartitionTracker>();
  #assigned: Assignment = {};
  #generation = new Generation();

  constructor(onLost: (place: Place) => void, clock: Pick<Clock, 'wall'>) {
    this.#onLost = onLost;
    this.#clock = clock;
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** The tracker of a partition. Undefined when it is not ours: it was fetched before the rebalance. */
  trackerOf(place: Place): PartitionTracker | undefined {
    if (!this.#isAssigned(place)) return undefined;
    const id = idOf(place);
    const tracker = this.#trackers.get(id) ?? new PartitionTracker(place, this.#clock);
    this.#trackers.set(id, tracker);
    return tracker;
  }

  trackers(): readonly PartitionTracker[] {
    return [...this.#trackers.values()].filter((tracker) => this.#isAssigned(tracker));
  }

  /** The group has rebalanced. Trackers of partitions that it did not assign to us are over. */
  joined(assignment: Assignment): void {
    this.#next(assignment);
    for (const [id, tracker] of this.#trackers) {
      const isAssigned = this.#isAssigned(tracker);
      if (isAssigned && !tracker.ownership.signal.aborted) {
        tracker.rejoined();
        continue;
      }
      this.#trackers.delete(id);
      if (isAssigned) continue;
      tracker.end(abortError('the partition went to another member of the group'));
      this.#onLost(tracker);
    }
  }

  /** No partition is ours until the next join; handlers go on, and can still be aborted. */
  stopped(): void {
    this.#next({});
    for (const tracker of this.#trackers.values()) tracker.stopped();
  }

  /** Aborts all handlers; the partitions that are ours stay so. */
  abortAll(reason: string): void {
    for (const tracker of this.#trackers.values()) tracker.abort(abortError(reason));
  }

  #isAssigned({ topic, partition }: Place): boolean {
    return this.#assigned[topic]?.includes(partition) === true;
  }

  #next(assignment: Assignment): void {
    this.#assigned = assignment;
    this.#generation.end();
    this.#generation = new Generation();
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError');
}
