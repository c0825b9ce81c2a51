import { type Clock, retryWait, type Timer } from '../../../src/adapter-kit.ts';
import type { LogConsumer, Place, TopicPartitions } from '../log/log-client.ts';
import { UserPauses } from './user-pauses.ts';
import { idOf } from '../log/place-id.ts';

const BACKOFF = { baseMs: 500, maxMs: 30_000 };
/** Node's timers end at once when they are asked for more. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** A partition that is due and has nothing to fetch must not make the others hurry without end. */
const LONGEST_HURRY_MS = 10_000;

/**
 * Which partitions are fetched no more for now, and who wants that.
 *
 * A client keeps one pause for each partition, no matter who made it. Here ours and the user's are kept apart: ours
 * never outlives its reason, and we never lift the user's.
 */
export interface Pauses {
  /** Whether the user has paused a partition. */
  isPausedByUser(place: Place): boolean;
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
  userPaused(topics: readonly TopicPartitions[]): void;
  userResumed(topics: readonly TopicPartitions[]): void;
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
  timer: Timer | undefined;
  /** How much it waits for that has no time. */
  holds: number;
  failures: number;
}

export function createPauses(consumer: () => Pick<LogConsumer, 'pause' | 'resume'>, clock: Clock): Pauses {
  const partitions = new Map<string, PartitionPause>();
  /** Since when each is due, in monotonic milliseconds. */
  const due = new Map<string, number>();
  const user = new UserPauses();
  const waiting = new Set<() => void>();

  function pauseOf({ topic, partition }: Place): PartitionPause {
    const id = idOf({ topic, partition });
    const pause = partitions.get(id) ?? { topic, partition, timer: undefined, holds: 0, failures: 0 };
    partitions.set(id, pause);
    return pause;
  }

  function isOurs(pause: PartitionPause | undefined): boolean {
    return pause !== undefined && (pause.timer !== undefined || pause.holds > 0);
  }

  function tell(verb: 'pause' | 'resume', topic: TopicPartitions): void {
    try {
      consumer()[verb](topic);
    } catch {
      // The consumer has stopped meanwhile; when it runs again nothing is paused.
    }
  }

  /**
   * kafkajs ends a pause of a whole topic when one of its partitions is paused. So the topic is paused again, and what
   * the user had resumed is resumed.
   */
  function pauseUnlessPaused(place: Place): void {
    if (user.has(place)) return;
    const { topic, partition } = place;
    const resumed = user.resumedOf(topic);
    tell('pause', resumed === undefined ? { topic, partitions: [partition] } : { topic });
    const free = resumed?.filter((one) => !isOurs(partitions.get(idOf({ topic, partition: one })))) ?? [];
    if (free.length > 0) tell('resume', { topic, partitions: free });
  }

  function resumeUnlessPaused(pause: PartitionPause): void {
    const { topic, partition } = pause;
    if (!isOurs(pause) && !user.has(pause)) tell('resume', { topic, partitions: [partition] });
  }

  /** A user's call for other partitions of a topic, or for all of them, can have lifted ours. */
  function keepOurs(topics: readonly TopicPartitions[]): void {
    for (const pause of partitions.values()) {
      if (isOurs(pause) && topics.some(({ topic }) => topic === pause.topic)) pauseUnlessPaused(pause);
    }
  }

  function backoff(pause: PartitionPause): number {
    pause.failures += 1;
    return retryWait(BACKOFF, pause.failures);
  }

  function becomeDue(pause: PartitionPause): void {
    pause.timer = undefined;
    resumeUnlessPaused(pause);
    if (user.has(pause)) return;
    due.set(idOf(pause), clock.monotonic());
    for (const callback of waiting) callback();
  }

  function userPaused(topics: readonly TopicPartitions[]): void {
    for (const topic of topics) user.pause(topic);
    keepOurs(topics);
  }

  function userResumed(topics: readonly TopicPartitions[]): void {
    for (const topic of topics) user.resume(topic);
    keepOurs(topics);
  }

  return {
    isPausedByUser: (place) => user.has(place),
    withhold(place, waits) {
      const pause = pauseOf(place);
      const known = waits.filter((wait) => wait !== undefined);
      const shortest = known.length < waits.length ? Math.min(backoff(pause), ...known) : Math.min(...known);
      const retryAfterMs = Math.min(shortest, LONGEST_TIMER_MS);
      clock.clearTimer(pause.timer);
      pause.timer = clock.setTimer(() => {
        becomeDue(pause);
      }, retryAfterMs);
      pause.timer.unref();
      pauseUnlessPaused(place);
      return retryAfterMs;
    },
    hold(place) {
      const pause = pauseOf(place);
      pause.holds += 1;
      pauseUnlessPaused(place);
      return () => {
        // Forgotten meanwhile: what is known now is of another time.
        if (partitions.get(idOf(place)) !== pause) return;
        pause.holds -= 1;
        resumeUnlessPaused(pause);
      };
    },
    held: () =>
      [...partitions.values()]
        .filter(({ holds }) => holds > 0)
        .map(({ topic, partition }) => ({ topic, partition })),
    pauseByUser({ topic, partition }) {
      const own = { topic, partitions: [partition] };
      tell('pause', own);
      userPaused([own]);
      return () => {
        userResumed([own]);
        resumeUnlessPaused(pauseOf({ topic, partition }));
      };
    },
    userPaused,
    userResumed,
    moved(place) {
      const pause = partitions.get(idOf(place));
      if (pause?.timer === undefined) return;
      clock.clearTimer(pause.timer);
      pause.failures = 0;
      becomeDue(pause);
    },
    progress(place) {
      pauseOf(place).failures = 0;
    },
    fetched(place) {
      due.delete(idOf(place));
    },
    isAnotherDue(place) {
      const since = clock.monotonic() - LONGEST_HURRY_MS;
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
      const pause = pauseOf(place);
      const wasOurs = isOurs(pause);
      clock.clearTimer(pause.timer);
      partitions.delete(idOf(place));
      due.delete(idOf(place));
      pause.timer = undefined;
      pause.holds = 0;
      if (wasOurs) resumeUnlessPaused(pause);
    },
    clear() {
      for (const { timer } of partitions.values()) clock.clearTimer(timer);
      partitions.clear();
      due.clear();
      user.clear();
    },
  };
}
