import type { Outcome, Pending } from '../words/outcome.ts';
import type { Settlement } from '../store/store.ts';
import { toStoredError } from '../payload/stored-error.ts';
import type { AttemptEnding } from './attempt-ending.ts';

/** The outcome of an attempt whose settlement is on record. */
export function recordedOutcome<R>(
  settlement: Settlement,
  ending: AttemptEnding<R>,
  attempts: number,
): Outcome<R> {
  switch (settlement.kind) {
    case 'succeed': {
      const { resultOmitted } = settlement;
      const result = (ending.kind === 'returned' ? ending.value : undefined) as R;
      const omitted = resultOmitted === null ? {} : { resultOmitted };
      return { state: 'succeeded', replayed: false, attempts, result, ...omitted };
    }
    case 'fail': {
      const { reason } = settlement;
      return { state: 'failed', reason, error: toStoredError(errorOf(ending)), replayed: false, attempts };
    }
    case 'release': {
      const { retryAfterMs } = settlement;
      return { state: 'pending', reason: 'released', retryAfterMs, attempts, ...thrown(ending) };
    }
  }
}

/** The outcome of an attempt that could not be put on record. */
export function unsettledOutcome(
  reason: 'lease-lost' | 'unrecorded',
  retryAfterMs: number,
  ending: AttemptEnding<unknown>,
  attempts: number,
): Pending {
  return {
    state: 'pending',
    reason,
    retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)),
    attempts,
    ...thrown(ending),
  };
}

function thrown(ending: AttemptEnding<unknown>): Pick<Pending, 'error'> {
  return ending.kind === 'threw' ? { error: toStoredError(ending.error) } : {};
}

function errorOf(ending: AttemptEnding<unknown>): unknown {
  return ending.kind === 'threw' ? ending.error : undefined;
}
