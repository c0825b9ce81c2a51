import type { HandleOnceEvent } from '../reporting/events.ts';
import type { Emitted, EventSink } from '../reporting/event-sink.ts';

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
