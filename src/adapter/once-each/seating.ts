import { Batch } from '../../engine/batch/batch.ts';
import type { AnyBatchHandler } from '../../engine/batch/call-batch.ts';
import type { Seat } from '../../engine/batch/seat.ts';
import type { Clock } from '../../lib/clock.ts';
import { later } from '../../lib/later.ts';
import { endsBeforeAbort } from '../../lib/wait.ts';
import { BatchGatherer, type BatchGathererOptions } from '../batch-gatherer.ts';

export type GatherOptions = Pick<BatchGathererOptions<never>, 'size' | 'waitMs'>;

/** A seat in a batch, once others are gathered. Undefined where the signal aborts before. */
export type TakeSeat = (signal: AbortSignal | undefined) => Promise<Seat | undefined>;

/** Gives seats to messages that come one by one. */
export function createSeating(
  handler: AnyBatchHandler,
  { size, waitMs }: GatherOptions,
  clock: Clock,
): TakeSeat {
  const gatherer = new BatchGatherer<(seat: Seat) => void>({ size, waitMs, clock, start });

  function start(members: readonly ((seat: Seat) => void)[]): void {
    const batch = new Batch(handler);
    for (const give of members) give(batch.take());
    void batch.run();
  }

  return async function takeSeat(signal) {
    const { promise, resolve } = later<Seat>();
    gatherer.add(resolve);
    if (await endsBeforeAbort(promise, signal)) return await promise;
    void promise.then((seat) => {
      seat.leave(true);
    });
    return undefined;
  };
}
