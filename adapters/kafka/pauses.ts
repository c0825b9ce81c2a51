import type { KafkaConsumer } from './kafka-client.ts';

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Node's timers end at once when they are asked for more. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Which partitions are fetched no more for now. */
export interface Pauses {
  isPaused(topic: string, partition: number): boolean;
  /**
   * Pauses a partition until a message of it can be tried again, and says for how many milliseconds.
   *
   * Of the waits the shortest counts; an undefined one is a backoff that doubles each time, until something settles.
   */
  withhold(topic: string, partition: number, waits: readonly (number | undefined)[]): number;
  /** A handler's own pause, which outlasts ours. Returns what ends it. */
  pauseByUser(topic: string, partition: number): () => void;
  /** Something of the partition has settled: its backoff starts anew. */
  progress(topic: string, partition: number): void;
  /** The partition is another member's: nothing of its pause is left when it comes back. */
  forget(topic: string, partition: number): void;
}

interface PartitionPause {
  timer: NodeJS.Timeout | undefined;
  byUser: boolean;
  failures: number;
}

export function createPauses(consumer: KafkaConsumer): Pauses {
  const partitions = new Map<string, PartitionPause>();

  function pauseOf(topic: string, partition: number): PartitionPause {
    const id = `${topic}/${partition}`;
    const pause = partitions.get(id) ?? { timer: undefined, byUser: false, failures: 0 };
    partitions.set(id, pause);
    return pause;
  }

  function isPaused(topic: string, partition: number): boolean {
    return consumer
      .paused()
      .some((paused) => paused.topic === topic && paused.partitions.includes(partition));
  }

  function tell(verb: 'pause' | 'resume', topic: string, partition: number): void {
    try {
      consumer[verb]([{ topic, partitions: [partition] }]);
    } catch {
      // The consumer has stopped meanwhile; when it runs again nothing is paused.
    }
  }

  function resumeUnlessPaused(topic: string, partition: number): void {
    const { timer, byUser } = pauseOf(topic, partition);
    if (timer === undefined && !byUser) tell('resume', topic, partition);
  }

  function backoff(pause: PartitionPause): number {
    const longest = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** pause.failures);
    pause.failures += 1;
    return longest;
  }

  return {
    isPaused,
    withhold(topic, partition, waits) {
      const pause = pauseOf(topic, partition);
      const known = waits.filter((wait) => wait !== undefined);
      const shortest = known.length < waits.length ? Math.min(backoff(pause), ...known) : Math.min(...known);
      const retryAfterMs = Math.min(shortest, LONGEST_TIMER_MS);
      // Somebody else's pause ends when they end it.
      if (pause.timer === undefined && isPaused(topic, partition)) return retryAfterMs;
      tell('pause', topic, partition);
      clearTimeout(pause.timer);
      pause.timer = setTimeout(() => {
        pause.timer = undefined;
        resumeUnlessPaused(topic, partition);
      }, retryAfterMs).unref();
      return retryAfterMs;
    },
    pauseByUser(topic, partition) {
      const pause = pauseOf(topic, partition);
      pause.byUser = true;
      tell('pause', topic, partition);
      return () => {
        pause.byUser = false;
        resumeUnlessPaused(topic, partition);
      };
    },
    progress(topic, partition) {
      pauseOf(topic, partition).failures = 0;
    },
    forget(topic, partition) {
      const pause = pauseOf(topic, partition);
      pause.failures = 0;
      if (pause.timer === undefined) return;
      clearTimeout(pause.timer);
      pause.timer = undefined;
      resumeUnlessPaused(topic, partition);
    },
  };
}
