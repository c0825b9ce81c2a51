import type { EventSink } from '../../src/adapter-kit.ts';
import { type Warning, warn } from '../shared/warn.ts';
import type { LambdaRecordEvent, LambdaWarning } from './events.ts';

export interface TimeSettings {
  readonly leaseMs: number;
  readonly deadlineMarginMs: number;
}

/** A function's timeout is set in whole seconds, and a few milliseconds of it are gone when it looks. */
function timeoutOf(remainingMs: number): number {
  return Math.ceil(remainingMs / 1_000) * 1_000;
}

/** Settings that contradict the time that an invocation has. */
export function timeWarnings(
  { leaseMs, deadlineMarginMs }: TimeSettings,
  remainingMs: number,
): Warning<LambdaWarning>[] {
  const timeoutMs = timeoutOf(remainingMs);
  const warnings: Warning<LambdaWarning>[] = [];
  if (leaseMs > timeoutMs) {
    warnings.push({
      warning: 'LEASE_OUTLIVES_FUNCTION',
      message:
        `the lease of ${leaseMs} ms is longer than the function may run (${timeoutMs} ms): when it dies, its ` +
        'messages are in flight for the rest of the lease, and no redelivery can run until then. Lower leaseMs',
    });
  }
  if (remainingMs <= deadlineMarginMs) {
    warnings.push({
      warning: 'NO_TIME_TO_START',
      message:
        `the invocation began with ${Math.floor(remainingMs)} ms left, and deadlineMarginMs is ${deadlineMarginMs}: ` +
        "nothing was started. Raise the function's timeout, or lower deadlineMarginMs",
    });
  }
  return warnings;
}

/** Looks at every invocation, and gives each warning once. */
export function createTimeCheck<Id>(
  settings: TimeSettings,
  events: EventSink<LambdaRecordEvent<Id>>,
): (remainingMs: number) => void {
  const warned = new Set<string>();
  return (remainingMs) => {
    for (const warning of timeWarnings(settings, remainingMs)) {
      if (warned.has(warning.warning)) continue;
      warned.add(warning.warning);
      warn(warning, events);
    }
  };
}
