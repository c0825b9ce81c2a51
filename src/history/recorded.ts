import type { HandleOnceEvent } from '../reporting/events.ts';
import type { Emitted, EventSink } from '../reporting/event-sink.ts';
import type { Clock } from '../lib/clock.ts';
import { endsWithin } from '../lib/wait.ts';

export type Emit = EventSink<HandleOnceEvent>['emit'];

/**
 * What is kept beside the records.
 *
 * Best effort, and never in the way: no claim and no settle waits for it, or fails with it.
 */
export interface Noted {
  /** Notes what an event tells. What it cannot keep it tells by `emit`, which comes here again. */
  readonly note: (event: Emitted<HandleOnceEvent>, emit: Emit) => void;
  /** Resolves when all that was noted before is written, or refused. Never throws. */
  readonly flush: () => Promise<void>;
}

/** The same sink, whose events are noted too. */
export function recorded(
  sink: EventSink<HandleOnceEvent>,
  kept: readonly Noted[],
): EventSink<HandleOnceEvent> {
  if (kept.length === 0) return sink;
  const emit: Emit = (event) => {
    sink.emit(event);
    for (const { note } of kept) note(event, emit);
  };
  return { ...sink, emit };
}

/** A write takes milliseconds, and a process that stops has seconds for all. */
const PATIENCE_MS = 3_000;

/** Writes what was noted so far, unless the database gives no answer in time. Never throws. */
export async function flush(kept: readonly Noted[], clock: Clock): Promise<void> {
  if (kept.length > 0) await endsWithin(flushInOrder(kept), PATIENCE_MS, clock);
}

/** Each can note in a later one what it could not write. */
async function flushInOrder(kept: readonly Noted[]): Promise<void> {
  for (const { flush } of kept) await flush();
}
