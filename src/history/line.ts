import type { HandleOnceEvent } from '../reporting/events.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import { type Emitted } from '../reporting/event-sink.ts';
import { UnlistedError } from './unlisted-error.ts';
import { toEventError } from '../reporting/event-error.ts';

/**
 * How an attempt ended that did not succeed.
 *
 * - `released`: its handler threw, and it waits for another attempt.
 * - `interrupted`: it was stopped by its caller, its batch or a wall clock that was set, or its transaction did not
 *   commit. It is not counted.
 * - `failed`: it failed permanently.
 * - `died`: its worker gave no sign of life for a lease.
 * - `lease-lost`: its lease was over before its handler ended.
 * - `unrecorded`: its outcome was not on record when its call ended. It can be recorded later.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type BadEnding = 'released' | 'interrupted' | 'failed' | 'died' | 'lease-lost' | 'unrecorded';

/** An attempt that did not succeed, as the table `failures` keeps it. */
export interface Line {
  readonly scope: string;
  readonly key: string;
  readonly attempt: number;
  readonly ending: BadEnding;
  readonly worker: string | null;
  readonly tookMs: number | null;
  /** How many messages its handler was called for. Null where for this one alone, or where its worker died. */
  readonly batchSize: number | null;
  /** JSON text. */
  readonly error: string | null;
}

/** The line of an event, if it reports an attempt that did not succeed. */
export function lineOf(event: Emitted<HandleOnceEvent>): Line | undefined {
  const { type } = event;
  if (type === 'taken-over') return died(event, event.attempts - 1, event.from);
  if (type === 'failed') {
    // By this claim, and no handler has run: its last worker died before.
    if (event.reason === 'deaths-exhausted') return died(event, event.attempts, event.from ?? null);
    return ended(event, event.attempts, type, event.error);
  }
  if (type === 'lease-lost' || type === 'unrecorded') return ended(event, event.attempts, type, event.error);
  if (type !== 'released' || event.error instanceof UnlistedError) return undefined;
  if (event.interrupted !== true) return ended(event, event.attempts, type, event.error);
  // Its turn had not come: nothing ran.
  if (event.error instanceof NotStartedError) return undefined;
  // An attempt that is not counted is subtracted again.
  return ended(event, event.attempts + 1, 'interrupted', event.error);
}

interface OfAttempt {
  readonly scope: string;
  readonly key: string;
}

interface Ended extends OfAttempt {
  readonly durationMs: number;
  readonly batchSize?: number;
}

function died({ scope, key }: OfAttempt, attempt: number, worker: string | null): Line {
  return { scope, key, attempt, ending: 'died', worker, tookMs: null, batchSize: null, error: null };
}

function ended(
  { scope, key, durationMs, batchSize }: Ended,
  attempt: number,
  ending: BadEnding,
  error: unknown,
): Line {
  const tookMs = Math.round(durationMs);
  const text = error === undefined ? null : JSON.stringify(toEventError(error));
  return {
    scope,
    key,
    attempt,
    ending,
    worker: WORKER_ID,
    tookMs,
    batchSize: batchSize ?? null,
    error: text,
  };
}
