import type { FailedReason } from '../../../src/words/outcome.ts';
import type { Settlement } from '../../../src/store/store.ts';
import { HOUR } from './actor.ts';

export function succeeded(result: string | null = '"done"', retentionMs = HOUR): Settlement {
  return { kind: 'succeed', result, resultOmitted: null, retentionMs };
}

export function failed(
  error = '{"message":"no"}',
  reason: FailedReason = 'terminal',
  retentionMs = HOUR,
): Settlement {
  return { kind: 'fail', reason, error, retentionMs };
}

export function released(error: string | null = '{"message":"again"}', retryAfterMs = 0): Settlement {
  return { kind: 'release', error, retryAfterMs, countsAs: 'failure' };
}

/** The handler said "not yet": it does not count either, and has not lost its worker. */
export function deferred(error: string | null = null, retryAfterMs = 0): Settlement {
  return { kind: 'release', error, retryAfterMs, countsAs: 'deferral' };
}

/** The attempt was interrupted: it does not count. */
export function takenBack(error: string | null = null, retryAfterMs = 0): Settlement {
  return { kind: 'release', error, retryAfterMs, countsAs: 'interruption' };
}
