import type { FailedReason, ResultOmitted } from '../outcome.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms, ExtendReply, ExtendRequest } from './store.ts';
import type { Settlement, SettleReply, SettleRequest, Store } from './store.ts';

interface MemoryRecord {
  state: 'pending' | 'succeeded' | 'failed';
  owned: boolean;
  token: string;
  fingerprint: string;
  attempts: number;
  liveUntil: number;
  result: string | null;
  resultOmitted: ResultOmitted | null;
  failedReason: FailedReason | null;
  error: string | null;
}

/** A store in this process's memory, with a clock of its own. */
export interface MemoryStore extends Store {
  /**
   * Moves the store's clock forward: leases lapse, backoffs end, records expire. An attempt that runs learns of its
   * lapsed lease at its next heartbeat, and only once another claim has taken it over.
   */
  advance(milliseconds: number): void;
}

/**
 * A store for unit tests: the contract of the Postgres store, in one process and without durability.
 *
 * Its clock runs with real time, plus what `advance` adds.
 *
 * @example
 * ```ts
 * const store = createMemoryStore();
 * const handleOnce = createHandleOnce({ store, scope: 'billing' });
 * ```
 */
export function createMemoryStore(): MemoryStore {
  const records = new Map<string, MemoryRecord>();
  let advanced = 0;
  const now = (): number => performance.now() + advanced;
  const idOf = (scope: string, key: string): string => JSON.stringify([scope, key]);

  function claimOne(request: ClaimRequest, terms: ClaimTerms): ClaimReply {
    const id = idOf(terms.scope, request.key);
    const previous = records.get(id);
    const record = previous === undefined ? renewed(request) : { ...previous };
    const step = previous === undefined ? 'renew' : nextStep(previous, request, terms, now());
    const tookOver = step === 'take' && record.owned;
    if (step === 'renew') Object.assign(record, renewed(request), { liveUntil: now() + terms.leaseMs });
    if (step === 'take') {
      Object.assign(record, {
        owned: true,
        token: request.token,
        attempts: record.attempts + 1,
        liveUntil: now() + terms.leaseMs,
      });
    }
    if (step === 'exhaust') {
      Object.assign(record, {
        state: 'failed',
        owned: false,
        token: request.token,
        failedReason: 'attempts-exhausted',
        liveUntil: now() + terms.failedRetentionMs,
      });
    }
    records.set(id, record);
    return claimReply(request, record, tookOver, record.liveUntil - now());
  }

  function settleOne({ key, token, settlement }: SettleRequest, scope: string): SettleReply {
    const record = records.get(idOf(scope, key));
    if (record?.token !== token) return 'lost';
    if (record.owned) Object.assign(record, settledColumns(record, settlement, now()));
    return 'settled';
  }

  function extendOne({ key, token }: ExtendRequest, scope: string, leaseMs: number): ExtendReply {
    const record = records.get(idOf(scope, key));
    if (record?.token !== token || !record.owned) return 'lost';
    record.liveUntil = now() + leaseMs;
    return 'extended';
  }

  return {
    claim: (requests, terms) => Promise.resolve(requests.map((request) => claimOne(request, terms))),
    settle: (requests, scope) => Promise.resolve(requests.map((request) => settleOne(request, scope))),
    extend: (requests, { scope, leaseMs }) =>
      Promise.resolve(requests.map((request) => extendOne(request, scope, leaseMs))),
    advance(milliseconds) {
      advanced += milliseconds;
    },
  };
}

function claimReply(
  request: ClaimRequest,
  record: MemoryRecord,
  tookOver: boolean,
  remainingMs: number,
): ClaimReply {
  const { attempts, result, resultOmitted, failedReason, error } = record;
  if (record.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  if (record.state === 'succeeded') return { kind: 'succeeded', attempts, result, resultOmitted };
  const ours = record.token === request.token;
  if (failedReason !== null)
    return { kind: 'failed', attempts, reason: failedReason, error, replayed: !ours };
  const retryAfterMs = Math.max(0, Math.ceil(remainingMs));
  if (!record.owned) return { kind: 'released', attempts, retryAfterMs, error };
  return ours ? { kind: 'claimed', attempts, tookOver } : { kind: 'in-flight', attempts, retryAfterMs };
}

function nextStep(
  record: MemoryRecord,
  request: ClaimRequest,
  terms: ClaimTerms,
  now: number,
): 'keep' | 'renew' | 'exhaust' | 'take' {
  if (record.liveUntil > now) return 'keep';
  if (record.state !== 'pending') return 'renew';
  if (record.fingerprint !== request.fingerprint) return 'keep';
  return record.attempts >= terms.maxAttempts ? 'exhaust' : 'take';
}

function renewed({ token, fingerprint }: ClaimRequest): MemoryRecord {
  return {
    state: 'pending',
    owned: true,
    token,
    fingerprint,
    attempts: 1,
    liveUntil: 0,
    result: null,
    resultOmitted: null,
    failedReason: null,
    error: null,
  };
}

function settledColumns(record: MemoryRecord, settlement: Settlement, now: number): Partial<MemoryRecord> {
  switch (settlement.kind) {
    case 'succeed': {
      const { result, resultOmitted, retentionMs } = settlement;
      return { state: 'succeeded', owned: false, result, resultOmitted, liveUntil: now + retentionMs };
    }
    case 'fail': {
      const { reason, error, retentionMs } = settlement;
      return { state: 'failed', owned: false, failedReason: reason, error, liveUntil: now + retentionMs };
    }
    case 'release': {
      const { error, retryAfterMs, uncounted } = settlement;
      return {
        owned: false,
        attempts: Math.max(0, record.attempts - (uncounted ? 1 : 0)),
        error: error ?? record.error,
        liveUntil: now + retryAfterMs,
      };
    }
  }
}
