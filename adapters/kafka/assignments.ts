import type { Assignment, Place } from './log-client.ts';
import { PartitionTracker } from './partition-tracker.ts';

/** The time from one meeting of the group to the next. */
export interface Generation {
  /** Aborts, with the group's own error, when the group goes on without us until we join again. */
  readonly interrupted: AbortSignal;
  /** Aborts when it is over: another has begun, or the consumer has stopped. */
  readonly over: AbortSignal;
  /** Tells what a heartbeat or a commit of this generation was refused with. */
  interrupt(error: Error): void;
}

/** The partitions that are ours, each with its tracker, and our place in the group. */
export interface Assignments {
  /** The tracker of a partition. Undefined when it is not ours: it was fetched before the group met. */
  trackerOf(place: Place): PartitionTracker | undefined;
  trackers(): Iterable<PartitionTracker>;
  readonly generation: () => Generation;
  /** Tells what we have been assigned. Trackers of anything else are over. */
  joined(assignment: Assignment): void;
  /** Forgets all partitions; their handlers go on, and can still be aborted. */
  stopped(): void;
  /** Aborts all handlers; the partitions that are ours stay so. */
  abortAll(reason: string): void;
}

interface OpenGeneration extends Generation {
  end(): void;
}

export function createAssignments(onLost: (place: Place) => void): Assignments {
  const trackers = new Map<string, PartitionTracker>();
  /** Those of the run before, whose handlers may still run. */
  const left = new Set<PartitionTracker>();
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
      const id = `${place.topic}/${place.partition}`;
      const known = trackers.get(id);
      if (known !== undefined || !isAssigned(place)) return known;
      const tracker = new PartitionTracker(place);
      trackers.set(id, tracker);
      return tracker;
    },
    trackers: () => trackers.values(),
    generation: () => generation,
    joined(assignment) {
      next(assignment);
      left.clear();
      for (const [id, tracker] of trackers) {
        const isOurs = isAssigned(tracker);
        if (isOurs && !tracker.signal.aborted) {
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
      for (const tracker of trackers.values()) left.add(tracker);
      trackers.clear();
    },
    abortAll(reason) {
      for (const tracker of [...trackers.values(), ...left]) tracker.abort(abortError(reason));
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
