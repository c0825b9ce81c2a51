import { type Clock, retryWait, type Timer } from '../../../src/adapter-kit.ts';
import type { LogConsumer, Place, TopicPartitions } from '../log/log-client.ts';
import { idOf } from '../log/place-id.ts';
import { UserPauses } from './user-pauses.ts';

const BACKOFF = { baseMs: 500, maxMs: 30_000 };
/** Node's timers end at once when they are asked for more. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** A partition that is due and has nothing to fetch must not preempt the others without end. */
const LONGEST_DUE_MS = 10_000;

interface Wait extends Place {
  /** Runs while the partition is withheld. */
  timer: Timer | undefined;
  /** How many callers of `hold` have not resumed it. */
  holds: number;
  failures: number;
}

/** Every reason not to handle a partition for now: it is withheld or held, or its user has paused it. */
export class Pauses {
  readonly user = new UserPauses();
  readonly #client: () => Pick<LogConsumer, 'applyPause' | 'callOfUser'>;
  readonly #clock: Clock;
  readonly #waits = new Map<string, Wait>();
  /** Since when each partition is due, in monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  readonly #onDue = new Set<() => void>();

  constructor(client: () => Pick<LogConsumer, 'applyPause' | 'callOfUser'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  isPaused(place: Place): boolean {
    return this.isWaiting(place) || this.user.has(place);
  }

  /** Whether the adapter itself withholds or holds it. */
  isWaiting(place: Place): boolean {
    const wait = this.#waits.get(idOf(place));
    return wait !== undefined && isOpen(wait);
  }

  waiting(): readonly Place[] {
    return [...this.#waits.values()].filter(isOpen);
  }

  held(): readonly Place[] {
    return [...this.#waits.values()]
      .filter(({ holds }) => holds > 0)
      .map(({ topic, partition }) => ({ topic, partition }));
  }

  /**
   * Pauses a partition until a message of it can be tried again, and returns for how many milliseconds.
   *
   * Of the waits the shortest counts; an undefined one is a backoff that doubles each time, until something settles.
   */
  withhold(place: Place, waits: readonly (number | undefined)[]): number {
    const wait = this.#waitOf(place);
    const known = waits.filter((ms) => ms !== undefined);
    const shortest = known.length < waits.length ? Math.min(backoff(wait), ...known) : Math.min(...known);
    const retryAfterMs = Math.min(shortest, LONGEST_TIMER_MS);
    this.#clock.clearTimer(wait.timer);
    wait.timer = this.#clock.setTimer(() => {
      this.#becomeDue(wait);
    }, retryAfterMs);
    wait.timer.unref();
    this.#apply(wait);
    return retryAfterMs;
  }

  /** Pauses a partition of which something is not known yet. Returns what resumes it. */
  hold(place: Place): () => void {
    const wait = this.#waitOf(place);
    wait.holds += 1;
    this.#apply(wait);
    return () => {
      // Another member had the partition since, or the consumer has stopped.
      if (this.#waits.get(idOf(place)) !== wait) return;
      wait.holds -= 1;
      this.#resumeIfFree(wait);
    };
  }

  /** A handler's own pause, which counts as the user's. Returns what ends it. */
  pauseByUser({ topic, partition }: Place): () => void {
    const topics = [{ topic, partitions: [partition] }];
    this.#callOfUser('pause', topics);
    return () => {
      this.#callOfUser('resume', topics);
    };
  }

  /** The user has moved the partition: what it waits for may be behind it. */
  moved(place: Place): void {
    const wait = this.#waits.get(idOf(place));
    if (wait?.timer === undefined) return;
    this.#clock.clearTimer(wait.timer);
    wait.failures = 0;
    this.#becomeDue(wait);
  }

  /** A message of the partition was acknowledged: its backoff begins again at the shortest. */
  progress(place: Place): void {
    this.#waitOf(place).failures = 0;
  }

  /** The partition was fetched. */
  fetched(place: Place): void {
    this.#due.delete(idOf(place));
  }

  /** Whether a partition other than this has waited its time, and waits for the next fetch. */
  isAnotherDue(place: Place): boolean {
    const since = this.#clock.monotonic() - LONGEST_DUE_MS;
    for (const [id, at] of this.#due) {
      if (at < since) this.#due.delete(id);
      else if (id !== idOf(place)) return true;
    }
    return false;
  }

  /** Calls back each time that a partition becomes due. Returns what ends that. */
  onDue(callback: () => void): () => void {
    this.#onDue.add(callback);
    return () => {
      this.#onDue.delete(callback);
    };
  }

  /** The partition is another member's. */
  forget(place: Place): void {
    const wait = this.#waitOf(place);
    const wasOpen = isOpen(wait);
    this.#clock.clearTimer(wait.timer);
    this.#waits.delete(idOf(place));
    this.#due.delete(idOf(place));
    if (wasOpen) this.#apply(wait);
  }

  /** The consumer has stopped. */
  clear(): void {
    for (const { timer } of this.#waits.values()) this.#clock.clearTimer(timer);
    this.#waits.clear();
    this.#due.clear();
    this.user.clear();
  }

  #waitOf({ topic, partition }: Place): Wait {
    const id = idOf({ topic, partition });
    const wait = this.#waits.get(id) ?? { topic, partition, timer: undefined, holds: 0, failures: 0 };
    this.#waits.set(id, wait);
    return wait;
  }

  #becomeDue(wait: Wait): void {
    wait.timer = undefined;
    this.#resumeIfFree(wait);
    if (this.isPaused(wait)) return;
    this.#due.set(idOf(wait), this.#clock.monotonic());
    for (const callback of this.#onDue) callback();
  }

  #resumeIfFree(wait: Wait): void {
    if (!isOpen(wait)) this.#apply(wait);
  }

  #apply({ topic, partition }: Place): void {
    unlessStopped(() => {
      this.#client().applyPause({ topic, partition });
    });
  }

  #callOfUser(verb: 'pause' | 'resume', topics: TopicPartitions[]): void {
    unlessStopped(() => {
      this.#client().callOfUser(verb, topics);
    });
  }
}

function isOpen({ timer, holds }: Wait): boolean {
  return timer !== undefined || holds > 0;
}

function backoff(wait: Wait): number {
  wait.failures += 1;
  return retryWait(BACKOFF, wait.failures);
}

/** A client that has stopped throws. When it runs again nothing is paused. */
function unlessStopped(call: () => void): void {
  try {
    call();
  } catch {
    // `clear` has been called, or will be.
  }
}
