import { type Backoff, boundedWait, isWait } from '../options/backoff.ts';
import { InvalidPayloadError, RetryableError, TerminalError } from '../words/handler-errors.ts';
import type { Claim } from './engine.ts';
import type { HandleOnceSettings } from './settings.ts';
import type { FailedReason } from '../words/outcome.ts';
import { encodeResult } from '../payload/result-codec.ts';
import { readable } from '../lib/safe-read.ts';
import type { Settlement } from '../store/store.ts';
import { toStoredError } from '../payload/stored-error.ts';

/** How a handler ended. */
export type AttemptEnding<R> = { readonly kind: 'returned'; readonly value: R } | Threw;

export interface Threw {
  readonly kind: 'threw';
  readonly error: unknown;
  /**
   * Whether the attempt was stopped, by its caller or because its lease was in doubt, or was not allowed to start: it
   * did not fail, unless the error is final.
   */
  readonly interrupted: boolean;
  /** Milliseconds to wait after an attempt that did not fail. Default 0. */
  readonly retryAfterMs?: number;
  /** Whether the lease was over by then: it did not fail either, unless the error is final. */
  readonly isDeath?: boolean;
}

/** Whether nothing may be put on record: the next claim finds that the lease has lapsed, and counts a death. */
export function isDeath(ending: AttemptEnding<unknown>): boolean {
  return ending.kind === 'threw' && ending.isDeath === true && finalReason(ending.error) === undefined;
}

/** The whole decision of what an attempt's end means for its record. */
export function settlementOf(
  ending: AttemptEnding<unknown>,
  { failures, ageMs }: Pick<Claim, 'failures' | 'ageMs'>,
  settings: HandleOnceSettings,
  backoff: Backoff,
): Settlement {
  if (ending.kind === 'returned') return success(ending.value, settings);
  const { error, interrupted, retryAfterMs = 0 } = ending;
  const countsAs = interrupted ? 'interruption' : defers(error, ageMs, settings) ? 'deferral' : 'failure';
  const reason = failedReason(error, countsAs !== 'failure', failures + 1 >= settings.maxAttempts);
  if (reason !== undefined) {
    return {
      kind: 'fail',
      reason,
      error: JSON.stringify(toStoredError(error)),
      retentionMs: settings.failedRetentionMs,
    };
  }
  return {
    kind: 'release',
    error: JSON.stringify(toStoredError(error)),
    retryAfterMs: interrupted ? retryAfterMs : retryAfter(error, failures + 1, backoff),
    countsAs,
  };
}

function success(value: unknown, settings: HandleOnceSettings): Settlement {
  const encoded = settings.storeResult
    ? encodeResult(value, settings.maxResultBytes)
    : ({ result: null, resultOmitted: 'not-stored' } as const);
  return { kind: 'succeed', ...encoded, retentionMs: settings.succeededRetentionMs };
}

function failedReason(error: unknown, uncounted: boolean, lastAttempt: boolean): FailedReason | undefined {
  const final = finalReason(error);
  if (final !== undefined || uncounted) return final;
  return lastAttempt ? 'attempts-exhausted' : undefined;
}

function finalReason(error: unknown): FailedReason | undefined {
  if (error instanceof InvalidPayloadError) return 'invalid-payload';
  return error instanceof TerminalError ? 'terminal' : undefined;
}

/** Whether the handler says "not yet", and may. */
function defers(error: unknown, ageMs: number, settings: HandleOnceSettings): boolean {
  const { failedRetentionMs, maxDeferredMs = failedRetentionMs } = settings;
  return ageMs < maxDeferredMs && error instanceof RetryableError && readable(error, 'counted') === false;
}

function retryAfter(error: unknown, failures: number, backoff: Backoff): number {
  const wanted = error instanceof RetryableError ? readable(error, 'retryAfterMs') : undefined;
  return boundedWait(isWait(wanted) ? wanted : backoff(failures, error));
}
