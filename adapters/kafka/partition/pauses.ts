import { type Clock, retryWait, type Timer } from '../../../src/adapter-kit.ts';
import type { LogConsumer, PausedBy, Place } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';

const BACKOFF = { baseMs: 500, maxMs: 30_000 };
/** Node's timers end at once when they are asked for more. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** A partition that is due and has nothing to fetch must not preempt the others without end. */
const LONGEST_DUE_MS = 10_000;

/** Which partitions the adapter lets nothing more be fetched of for now, and why. */
export interface Pauses {
  /**
   * Pauses a partition until a message of it can be tried again, and says for how many milliseconds.
   *
   * Of the waits the shortest counts; an undefined one is a backoff that doubles each time, until something settles.
   */
  withhold(place: Place, waits: readonly (number | undefined)[]): number;
  /** Pauses a partition until `resume` is called: for what is not known yet. */
  hold(place: Place): () => void;
  /** Those that are held. */
  held(): readonly Place[];
  /** A handler's own pause, which is the user's. Returns what ends it. */
  pauseByUser(place: Place): () => void;
  /** The user has moved the partition: what it waits for may be behind it. */
  moved(place: Place): void;
  /** A message of the partition was acknowledged: its backoff begins again at the shortest. */
  progress(place: Place): void;
  /** The partition was fetched. */
  fetched(place: Place): void;
  /** Whether a partition other than this has waited its time, and waits for the next fetch. */
  isAnotherDue(place: Place): boolean;
  /** Calls back each time that a partition becomes due. Returns what ends that. */
  onDue(callback: () => void): () => void;
  /** The partition is another member's: nothing of our pause is left when it comes back. */
  forget(place: Place): void;
  /** The consumer has stopped, and its pauses are gone with it. */
  clear(): void;
}

interface PartitionPause extends Place {
  /** Runs while the partition is withheld. */
  timer: Timer | undefined;
  /** How much it waits for that has no time. */
  holds: number;
  failures: number;
}

export function createPauses(
  consumer: () => Pick<LogConsumer, 'setPaused' | 'isPausedByUser'>,
  clock: Clock,
): Pauses {
  const partitions = new Map<string, PartitionPause>();
  /** Since when each is due, in monotonic milliseconds. */
  const due = new Map<string, number>();
  const waiting = new Set<() => void>();

  function pauseOf({ topic, partition }: Place): PartitionPause {
    const id = idOf({ topic, partition });
    const pause = partitions.get(id) ?? { topic, partition, timer: undefined, holds: 0, failures: 0 };
    partitions.set(id, pause);
    return pause;
  }

  function setPaused({ topic, partition }: Place, isPaused: boolean, by: PausedBy = 'adapter'): void {
    try {
      consumer().setPaused({ topic, partition }, isPaused, by);
    } catch {
      // The consumer has stopped meanwhile; when it runs again nothing is paused.
    }
  }

  function resumeIfFree(of: PartitionPause): void {
    if (of.timer === undefined && of.holds === 0) setPaused(of, false);
  }

  function backoff(of: PartitionPause): number {
    of.failures += 1;
    return retryWait(BACKOFF, of.failures);
  }

  function becomeDue(of: PartitionPause): void {
    of.timer = undefined;
    resumeIfFree(of);
    if (consumer().isPausedByUser(of)) return;
    due.set(idOf(of), clock.monotonic());
    for (const callback of waiting) callback();
  }

  return {
    withhold(place, waits) {
      const of = pauseOf(place);
      const known = waits.filter((wait) => wait !== undefined);
      const shortest = known.length < waits.length ? Math.min(backoff(of), ...known) : Math.min(...known);
      const retryAfterMs = Math.min(shortest, LONGEST_TIMER_MS);
      clock.clearTimer(of.timer);
      of.timer = clock.setTimer(() => {
        becomeDue(of);
      }, retryAfterMs);
      of.timer.unref();
      setPaused(place, true);
      return retryAfterMs;
    },
    hold(place) {
      const of = pauseOf(place);
      of.holds += 1;
      setPaused(place, true);
      return () => {
        // Forgotten meanwhile: what is known now is of another time.
        if (partitions.get(idOf(place)) !== of) return;
        of.holds -= 1;
        resumeIfFree(of);
      };
    },
    held: () =>
      [...partitions.values()]
        .filter(({ holds }) => holds > 0)
        .map(({ topic, partition }) => ({ topic, partition })),
    pauseByUser(place) {
      setPaused(place, true, 'user');
      return () => {
        setPaused(place, false, 'user');
      };
    },
    moved(place) {
      const of = partitions.get(idOf(place));
      if (of?.timer === undefined) return;
      clock.clearTimer(of.timer);
      of.failures = 0;
      becomeDue(of);
    },
    progress(place) {
      pauseOf(place).failures = 0;
    },
    fetched(place) {
      due.delete(idOf(place));
    },
    isAnotherDue(place) {
      const since = clock.monotonic() - LONGEST_DUE_MS;
      for (const [id, at] of due) {
        if (at < since) due.delete(id);
        else if (id !== idOf(place)) return true;
      }
      return false;
    },
    onDue(callback) {
      waiting.add(callback);
      return () => {
        waiting.delete(callback);
      };
    },
    forget(place) {
      const { timer, holds } = pauseOf(place);
      clock.clearTimer(timer);
      partitions.delete(idOf(place));
      due.delete(idOf(place));
      if (timer !== undefined || holds > 0) setPaused(place, false);
    },
    clear() {
      for (const { timer } of partitions.values()) clock.clearTimer(timer);
      partitions.clear();
      due.clear();
    },
  };
}
