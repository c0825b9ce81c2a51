import type { Clock } from '../../../src/adapter-kit.ts';
import type { Assignment, Place } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';
import { PartitionTracker } from './partition-tracker.ts';

/** The time from one meeting of the group to the next. */
export interface Generation {
  /** Aborts, with the group's own error, when the group goes on without us until we join again. */
  readonly interrupted: AbortSignal;
  /** Aborts when it is over: another has begun, with other partitions perhaps, or the consumer has stopped. */
  readonly over: AbortSignal;
  /** Tells what a heartbeat or a commit of this generation was refused with. */
  interrupt(error: Error): void;
}

/** The partitions that are ours, each with its tracker, and our place in the group. */
export interface Assignments {
  /** The tracker of a partition. Undefined when it is not ours: it was fetched before the group met. */
  trackerOf(place: Place): PartitionTracker | undefined;
  trackers(): readonly PartitionTracker[];
  readonly generation: () => Generation;
  /** Tells what we have been assigned. Trackers of anything else are over. */
  joined(assignment: Assignment): void;
  /** No partition is ours until the next join; handlers go on, and can still be aborted. */
  stopped(): void;
  /** Aborts all handlers; the partitions that are ours stay so. */
  abortAll(reason: string): void;
}

interface OpenGeneration extends Generation {
  end(): void;
}

export function createAssignments(onLost: (place: Place) => void, clock: Pick<Clock, 'wall'>): Assignments {
  const trackers = new Map<string, PartitionTracker>();
  let assigned: Assignment = {};
  let generation = createGeneration();

  function isAssigned({ topic, partition }: Place): boolean {
    return assigned[topic]?.includes(partition) === true;
  }

  function next(assignment: Assignment): void {
    assigned = assignment;
    generation.end();
    generation = createGeneration();
  }

  return {
    trackerOf(place) {
      if (!isAssigned(place)) return undefined;
      const id = idOf(place);
      const tracker = trackers.get(id) ?? new PartitionTracker(place, clock);
      trackers.set(id, tracker);
      return tracker;
    },
    trackers: () => [...trackers.values()].filter(isAssigned),
    generation: () => generation,
    joined(assignment) {
      next(assignment);
      for (const [id, tracker] of trackers) {
        const isOurs = isAssigned(tracker);
        if (isOurs && !tracker.ownership.signal.aborted) {
          tracker.rejoined();
          continue;
        }
        trackers.delete(id);
        if (isOurs) continue;
        tracker.end(abortError('the partition went to another member of the group'));
        onLost(tracker);
      }
    },
    stopped() {
      next({});
      for (const tracker of trackers.values()) tracker.stopped();
    },
    abortAll(reason) {
      for (const tracker of trackers.values()) tracker.abort(abortError(reason));
    },
  };
}

function createGeneration(): OpenGeneration {
  const interruption = new AbortController();
  const over = new AbortController();
  return {
    interrupted: interruption.signal,
    over: over.signal,
    interrupt(error) {
      interruption.abort(error);
    },
    end() {
      over.abort();
    },
  };
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError');
}
