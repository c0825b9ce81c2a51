import { type Clock, endsWithin, onAbort, type Timer } from '../../../src/adapter-kit.ts';
import type { Fetch } from '../log/log-client.ts';
import type { Assignments } from '../partition/assignments.ts';
import type { Generation } from '../partition/generation.ts';
import type { Ownership } from '../partition/partition-tracker.ts';
import type { Pauses } from '../partition/pauses.ts';

/** For handlers whose signal has aborted to give up. */
export const ABORT_GRACE_MS = 5_000;
/**
 * What a fetch may take in any case, however many partitions are due: or each fetch would handle less than it costs.
 */
const SHORTEST_FETCH_MS = 250;

export interface EndOptions {
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly generation: Generation;
  readonly ownership: Ownership;
  readonly assignments: Pick<Assignments, 'abortAll'>;
  readonly pauses: Pick<Pauses, 'isAnotherDue' | 'onDue'>;
  readonly drainMs: number;
  readonly rebalanceGraceMs: number;
}

/**
 * Waits for the lanes of a fetch, but no longer than others can wait for it. What runs on, or has a place in line, is
 * joined when its message is fetched again.
 */
export async function waitForEnd(
  lanes: Promise<unknown>,
  stopping: Promise<void>,
  options: EndOptions,
): Promise<void> {
  const { clock, fetch, assignments, drainMs, rebalanceGraceMs } = options;
  if ((await firstEnd(lanes, stopping, options)) !== 'called back') return;
  if (fetch.isRunning()) await endsWithin(lanes, rebalanceGraceMs, clock);
  // A stop waits for handlers in a rebalance too: the process may end after it.
  if (fetch.isRunning() || (await endsWithin(lanes, drainMs, clock))) return;
  assignments.abortAll('the consumer stops');
  await endsWithin(lanes, ABORT_GRACE_MS, clock);
}

/** Called back by the group or by a stop of the consumer, or preempted by another partition or another generation. */
type End = 'handled' | 'called back' | 'preempted';

async function firstEnd(lanes: Promise<unknown>, stopping: Promise<void>, options: EndOptions): Promise<End> {
  const { generation, ownership } = options;
  const cancels: (() => void)[] = [];
  return await new Promise<End>((resolve, reject) => {
    const callBack = (): void => {
      resolve('called back');
    };
    const preempt = (): void => {
      resolve('preempted');
    };
    lanes.then(() => {
      resolve('handled');
    }, reject);
    void stopping.then(callBack);
    cancels.push(
      onAbort(generation.interrupted, callBack),
      onAbort(ownership.signal, callBack),
      onAbort(generation.over, preempt),
      whenAnotherIsDue(options, preempt),
    );
  }).finally(() => {
    for (const cancel of cancels) cancel();
  });
}

function whenAnotherIsDue({ clock, fetch, pauses }: EndOptions, callback: () => void): () => void {
  const startedAt = clock.monotonic();
  let timer: Timer | undefined;
  const look = (): void => {
    const leftMs = startedAt + SHORTEST_FETCH_MS - clock.monotonic();
    if (timer !== undefined || !pauses.isAnotherDue(fetch)) return;
    timer = clock.setTimer(callback, Math.max(leftMs, 0));
  };
  look();
  const cancel = pauses.onDue(look);
  return () => {
    cancel();
    clock.clearTimer(timer);
  };
}
