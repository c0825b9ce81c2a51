import type { Attempt } from '../attempt.ts';
import { childKey } from '../child-key.ts';
import type { HandleOnceEvent } from '../diagnostics.ts';
import type { Emitted } from '../event-sink.ts';
import { checkKey } from '../key.ts';
import type { Outcome } from '../outcome.ts';
import { AttemptSignal } from './attempt-signal.ts';
import { type Claim, endOf, type Engine } from './engine.ts';
import { keepLease, type Lease } from './lease.ts';
import { NotStartedError } from './not-started-error.ts';
import { recordedOutcome, unsettledOutcome } from './outcome-of.ts';
import { settle, type Settled } from './settle.ts';
import { type Ending, settlementOf } from './settlement.ts';

export interface AttemptLimits {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
}

/** A claim that is held while its work runs. */
export interface Held {
  readonly lease: Lease;
  /** Calls back when the attempt has lost its lease, or has taken longer than its timeout. */
  onOverdue(callback: () => void): void;
  /** Aborts the attempt's signal. */
  abort(reason: unknown): void;
  /** Whether the attempt has been told to give up. */
  isAborted(): boolean;
}

/** Runs the work of a claim under its lease, and settles the record by how it ended. */
export function runAttempt<R>(
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt) => Promise<R>,
): Promise<Outcome<R>> {
  const workAlone = (attempt: Attempt) => work(attempt);
  return underLease(engine, claim, limits, workAlone, async (ending, lease) => {
    const settlement = settlementOf(ending, claim.failures, engine.settings, engine.backoff);
    const settled = await settle(engine, claim, settlement, lease);
    return conclude(engine, claim, ending, settled, lease);
  });
}

/**
 * Runs work while the lease of its claim is kept, and keeps the lease until the end of the work is on record too: a
 * settle can wait in a queue longer than a lease.
 */
export async function underLease<Done, R>(
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  work: (attempt: Attempt, held: Held) => Promise<Done>,
  record: (ending: Ending<Done>, lease: Lease) => Promise<Outcome<R>>,
): Promise<Outcome<R>> {
  let whenOverdue = (): void => undefined;
  const attemptSignal = new AttemptSignal(limits.signal, limits.timeoutMs, {
    checkLease: () => {
      lease.check();
    },
    onTimeout: () => {
      whenOverdue();
    },
  });
  const lease = keepLease(engine, claim, (error) => {
    attemptSignal.abort(error);
    whenOverdue();
  });
  const held: Held = {
    lease,
    onOverdue(callback) {
      whenOverdue = callback;
    },
    abort(reason) {
      attemptSignal.abort(reason);
    },
    isAborted: () => attemptSignal.signal.aborted,
  };
  try {
    const ending = await run(engine, claim, limits, attemptSignal, (attempt) => work(attempt, held));
    return await record(ending, lease);
  } finally {
    lease.stop();
  }
}

async function run<Done>(
  engine: Engine,
  claim: Claim,
  limits: AttemptLimits,
  attemptSignal: AttemptSignal,
  work: (attempt: Attempt) => Promise<Done>,
): Promise<Ending<Done>> {
  try {
    // The caller may have aborted while the claim was under way.
    limits.signal?.throwIfAborted();
    return { kind: 'returned', value: await work(createAttempt(engine, claim, attemptSignal)) };
  } catch (error) {
    const interrupted = attemptSignal.abortedByCaller || error instanceof NotStartedError;
    return { kind: 'threw', error, interrupted };
  } finally {
    attemptSignal.release();
  }
}

/** Tells how an attempt ended, and makes its outcome. */
export function conclude<R>(
  engine: Engine,
  claim: Claim,
  ending: Ending<R>,
  settled: Settled,
  lease: Lease,
): Outcome<R> {
  const attempts = claim.attempts - (wasTakenBack(settled) ? 1 : 0);
  engine.events.emit(attemptEvent(engine, claim, attempts, settled, ending));
  switch (settled.reply) {
    case 'settled':
      return recordedOutcome(settled.settlement, ending, attempts);
    case 'lost':
      return unsettledOutcome('lease-lost', engine.settings.leaseMs, ending, attempts);
    case 'unrecorded':
      return unsettledOutcome('unrecorded', lease.leftMs(), ending, attempts);
  }
}

/** Whether the record does not count this attempt: the caller interrupted it. */
function wasTakenBack({ reply, settlement }: Settled): boolean {
  return reply === 'settled' && settlement.kind === 'release' && settlement.uncounted;
}

function createAttempt(engine: Engine, claim: Claim, attemptSignal: AttemptSignal): Attempt {
  const { scope } = engine.settings;
  const { key, attempts } = claim;
  return {
    key,
    scope,
    number: attempts,
    get signal() {
      return attemptSignal.signal;
    },
    childKey(name) {
      checkKey('childKey name', name);
      return childKey(scope, key, name);
    },
  };
}

function attemptEvent(
  engine: Engine,
  claim: Claim,
  attempts: number,
  { reply, settlement }: Settled,
  ending: Ending<unknown>,
): Emitted<HandleOnceEvent> {
  const error = ending.kind === 'threw' ? ending.error : undefined;
  if (reply !== 'settled') {
    const type = reply === 'lost' ? 'lease-lost' : 'unrecorded';
    const end = { type, ...endOf(engine, claim, attempts, 'pending') } as const;
    return ending.kind === 'threw' ? { ...end, error } : end;
  }
  switch (settlement.kind) {
    case 'succeed': {
      const { resultOmitted } = settlement;
      const end = endOf(engine, claim, attempts, 'succeeded');
      return { type: 'succeeded', ...end, ...(resultOmitted === null ? {} : { resultOmitted }) };
    }
    case 'fail': {
      const { reason } = settlement;
      return { type: 'failed', ...endOf(engine, claim, attempts, 'failed'), reason, error };
    }
    case 'release': {
      const { retryAfterMs, uncounted } = settlement;
      const interrupted = uncounted ? { interrupted: true as const } : {};
      const end = endOf(engine, claim, attempts, 'pending');
      return { type: 'released', ...end, retryAfterMs, ...interrupted, error };
    }
  }
}
