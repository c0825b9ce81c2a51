import type { HandleOnceEvent } from '../reporting/events.ts';
import type { Emitted, EventSink } from '../reporting/event-sink.ts';
import type { Clock } from '../lib/clock.ts';
import { endsWithin } from '../lib/wait.ts';

export type Emit = EventSink<HandleOnceEvent>['emit'];

/** A log of events in the database. Best effort: no claim and no settle waits for it, or fails with it. */
export interface EventLog {
  /** Adds an event. What it drops it reports by `emit`, which calls `add` again. */
  readonly add: (event: Emitted<HandleOnceEvent>, emit: Emit) => void;
  /** Resolves when all that was added before is written, or refused. Never throws. */
  readonly flush: () => Promise<void>;
}

/** The same sink, with its events in the logs too. */
export function withLogs(
  sink: EventSink<HandleOnceEvent>,
  logs: readonly EventLog[],
): EventSink<HandleOnceEvent> {
  if (logs.length === 0) return sink;
  const emit: Emit = (event) => {
    sink.emit(event);
    for (const { add } of logs) add(event, emit);
  };
  return { ...sink, emit };
}

/** A write takes milliseconds, and a process that stops has seconds for all. */
const PATIENCE_MS = 3_000;

/** Writes what was added so far, unless the database gives no answer in time. Never throws. */
export async function flush(logs: readonly EventLog[], clock: Clock): Promise<void> {
  if (logs.length > 0) await endsWithin(flushInOrder(logs), PATIENCE_MS, clock);
}

/** What one drops can be an event for a later one. */
async function flushInOrder(logs: readonly EventLog[]): Promise<void> {
  for (const { flush } of logs) await flush();
}
