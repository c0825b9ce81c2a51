import type { KeepAliveOptions } from './keep-alive.ts';
import type { Fetch } from '../log/log-client.ts';
import type { PartitionTracker } from '../partition/partition-tracker.ts';
import { emitRefusal } from '../partition/refusal.ts';

const AGAIN_AFTER_MS = 1_000;

export interface EndCommit extends KeepAliveOptions {
  /** What commits a position, and says whether the consumer still runs. */
  readonly through: Pick<Fetch, 'commit' | 'isRunning'>;
}

/**
 * Commits at the end of a fetch, and again where that fails, as it does while the group's coordinator restarts.
 *
 * Without that the next message would have to come first, which on a quiet partition can be longer than records are
 * kept.
 */
export async function commitAtEnd(late: EndCommit): Promise<void> {
  const { tracker, generation, through } = late;
  if (generation.isOver || !tracker.isUncommitted) return;
  try {
    await tracker.commit(through);
  } catch (error) {
    emitRefusal('commit', error, late);
    commitSoon(late);
  }
}

/** The last request of each: the first one can be of a generation that is over. */
const waiting = new WeakMap<PartitionTracker, EndCommit>();

/** Commits a second later, once for all that is acknowledged until then. */
export function commitSoon(late: EndCommit): void {
  const { clock, tracker } = late;
  const isWaiting = waiting.has(tracker);
  waiting.set(tracker, late);
  if (isWaiting) return;
  const again = (): void => {
    const last = waiting.get(tracker) ?? late;
    waiting.delete(tracker);
    if (last.through.isRunning()) void commitAtEnd(last);
  };
  clock.setTimer(again, AGAIN_AFTER_MS).unref();
}
