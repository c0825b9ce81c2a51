import { InvalidOptionsError } from '../../src/words/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type MemoryRecord, type MemoryRecordView, memoryView } from './memory-record.ts';
import { suspectFrom } from '../../src/store/suspects.ts';
import type {
  ClaimReply,
  ClaimRequest,
  ClaimTerms,
  ExtendReply,
  ExtendRequest,
  KeepReply,
  KeepRequest,
  LookupReply,
  Settlement,
  SettleReply,
  SettleRequest,
  Store,
} from '../../src/store/store.ts';

export type { MemoryRecord } from './memory-record.ts';

/** A store in this process's memory, with its own clock. */
export interface MemoryStore extends Store {
  keep(requests: readonly KeepRequest[], scope: string): Promise<readonly KeepReply[]>;
  /**
   * Moves the store's clock forward: leases lapse, backoffs end, records expire. A running attempt learns of its
   * lapsed lease at its next heartbeat, and only once another claim has taken it over. Throws `InvalidOptionsError` for
   * what is not a finite number of 0 or more.
   */
  advance(milliseconds: number): void;
  /** What is on record now, in the order of the first claims. Expired records are there until their key comes again. */
  records(): readonly MemoryRecordView[];
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
  let advanced = 0;
  const now = (): number => systemClock.monotonic() + advanced;
  const records = new Map<string, MemoryRecord>();
  const table = createTable(records, now);
  return {
    claim: (requests, terms) => Promise.resolve(requests.map((request) => table.claim(request, terms))),
    settle: (requests, scope) => Promise.resolve(requests.map((request) => table.settle(request, scope))),
    extend: (requests, terms) => Promise.resolve(requests.map((request) => table.extend(request, terms))),
    keep: (requests, scope) => Promise.resolve(requests.map((request) => table.keep(request, scope))),
    lookup: (key, scope) => Promise.resolve(lookedUp(records.get(idOf(scope, key)), now())),
    advance(milliseconds) {
      checkAdvance('createMemoryStore', milliseconds);
      advanced += milliseconds;
    },
    records: () =>
      Array.from(records, ([id, record]) => memoryView(...placeOf(id), record, record.liveUntil > now())),
  };
}

/** Time that is no number would let nothing be live: the same key would run twice. Throws `InvalidOptionsError`. */
export function checkAdvance(subject: string, milliseconds: unknown): void {
  if (typeof milliseconds === 'number' && Number.isFinite(milliseconds) && milliseconds >= 0) return;
  const message = 'must be a finite number of milliseconds, 0 or more: the clock cannot go back';
  throw new InvalidOptionsError(subject, [{ field: 'advance', message }]);
}

/** Where a table keeps the record of a key. */
export function idOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}

function placeOf(id: string): [scope: string, key: string] {
  return JSON.parse(id) as [string, string];
}

/** A table of records that others can look at, by a clock of its own: the database of the simulation is one. */
export function createTable(records: Map<string, MemoryRecord>, now: () => number) {
  return {
    claim(request: ClaimRequest, terms: ClaimTerms): ClaimReply {
      const id = idOf(terms.scope, request.key);
      const at = now();
      const previous = records.get(id);
      const record = previous === undefined ? renewed(request, at) : { ...previous };
      const step = previous === undefined ? 'renew' : nextStep(previous, request, terms, at);
      const takesOver = (step === 'take' || step === 'exhaust') && record.owned;
      const deadToken = takesOver ? record.token : null;
      if (step === 'renew') Object.assign(record, renewed(request, at), { liveUntil: at + terms.leaseMs });
      if (step === 'take') {
        Object.assign(record, {
          owned: true,
          token: request.token,
          fingerprint: request.fingerprint,
          attempts: record.attempts + 1,
          deaths: deathsOf(record),
          liveUntil: at + terms.leaseMs,
        });
      }
      if (step === 'exhaust') {
        Object.assign(record, {
          state: 'failed',
          owned: false,
          token: request.token,
          fingerprint: request.fingerprint,
          deaths: deathsOf(record),
          failedReason: record.failures >= terms.maxAttempts ? 'attempts-exhausted' : 'deaths-exhausted',
          liveUntil: at + terms.failedRetentionMs,
        });
      }
      // Compared with nothing, until it expires.
      if (step !== 'renew' && previous?.fingerprint === '') record.fingerprint = '';
      records.set(id, record);
      if (step === 'decline') return { kind: 'suspect', attempts: record.attempts };
      return claimReply(request, record, deadToken, at);
    },
    settle({ key, token, settlement }: SettleRequest, scope: string): SettleReply {
      const record = records.get(idOf(scope, key));
      if (record?.token !== token) return 'lost';
      if (!record.owned)
        return record.state === 'failed' && settlement.kind === 'release' ? 'failed' : 'settled';
      Object.assign(record, settledColumns(record, settlement, now()));
      return 'settled';
    },
    extend({ key, token }: ExtendRequest, terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>): ExtendReply {
      const record = records.get(idOf(terms.scope, key));
      if (record?.token !== token || !record.owned) return 'lost';
      record.liveUntil = Math.max(record.liveUntil, now() + terms.leaseMs);
      return 'extended';
    },
    keep({ key, token, steps }: KeepRequest, scope: string): KeepReply {
      const record = records.get(idOf(scope, key));
      if (record?.token !== token || !record.owned) return 'lost';
      if (record.steps === null || Buffer.byteLength(record.steps) <= Buffer.byteLength(steps)) {
        record.steps = steps;
      }
      return 'kept';
    },
  };
}

export type MemoryTable = ReturnType<typeof createTable>;

function claimReply(
  request: ClaimRequest,
  record: MemoryRecord,
  deadToken: string | null,
  now: number,
): ClaimReply {
  const { attempts, failures, result, resultOmitted, failedReason, error, steps } = record;
  if (differs(record.fingerprint, request.fingerprint)) return { kind: 'mismatch' };
  if (record.state === 'succeeded') return { kind: 'succeeded', attempts, result, resultOmitted };
  const ours = record.token === request.token;
  if (failedReason !== null)
    return {
      ...{ kind: 'failed', attempts, reason: failedReason, error, replayed: !ours },
      ...(ours && deadToken !== null ? { deadToken } : undefined),
    };
  const retryAfterMs = Math.max(0, Math.ceil(record.liveUntil - now));
  if (!record.owned) return { kind: 'released', attempts, retryAfterMs, error };
  if (!ours) return { kind: 'in-flight', attempts, retryAfterMs };
  return {
    kind: 'claimed',
    attempts,
    failures,
    ageMs: Math.ceil(now - record.createdAt),
    deadToken,
    ...(steps === null ? undefined : { steps }),
  };
}

export function lookedUp(record: MemoryRecord | undefined, now: number): LookupReply | undefined {
  if (record === undefined || (record.state !== 'pending' && record.liveUntil <= now)) return undefined;
  const { attempts, owned, result, resultOmitted, failedReason, error } = record;
  if (record.state === 'succeeded') return { kind: 'succeeded', attempts, result, resultOmitted };
  if (failedReason !== null) return { kind: 'failed', attempts, reason: failedReason, error, replayed: true };
  const retryAfterMs = Math.max(0, Math.ceil(record.liveUntil - now));
  return owned
    ? { kind: 'in-flight', attempts, retryAfterMs }
    : { kind: 'released', attempts, retryAfterMs, error };
}

/** Those of two versions, and an empty one, cannot be compared. The version is the first byte, two digits. */
function differs(one: string, other: string): boolean {
  return one !== other && one !== '' && other !== '' && one.slice(0, 2) === other.slice(0, 2);
}

function nextStep(
  record: MemoryRecord,
  request: ClaimRequest,
  terms: ClaimTerms,
  now: number,
): 'keep' | 'renew' | 'exhaust' | 'decline' | 'take' {
  if (record.liveUntil > now) return 'keep';
  if (record.state !== 'pending') return 'renew';
  if (differs(record.fingerprint, request.fingerprint)) return 'keep';
  const deaths = deathsOf(record);
  if (record.failures >= terms.maxAttempts || (record.owned && deaths >= terms.maxDeaths)) return 'exhaust';
  return deaths >= suspectFrom(terms.maxDeaths) && !terms.mayOwnSuspects ? 'decline' : 'take';
}

/** A lease that lapsed is an attempt whose worker died. */
function deathsOf({ deaths, owned }: MemoryRecord): number {
  return deaths + (owned ? 1 : 0);
}

function renewed({ token, fingerprint }: ClaimRequest, createdAt: number): MemoryRecord {
  return {
    state: 'pending',
    owned: true,
    token,
    fingerprint,
    attempts: 1,
    failures: 0,
    deaths: 0,
    createdAt,
    liveUntil: 0,
    result: null,
    resultOmitted: null,
    failedReason: null,
    error: null,
    steps: null,
  };
}

function settledColumns(record: MemoryRecord, settlement: Settlement, now: number): Partial<MemoryRecord> {
  switch (settlement.kind) {
    case 'succeed': {
      const { result, resultOmitted, retentionMs } = settlement;
      const liveUntil = now + retentionMs;
      return { state: 'succeeded', owned: false, result, resultOmitted, steps: null, liveUntil };
    }
    case 'fail': {
      const { reason, error, retentionMs } = settlement;
      const counters = { failures: record.failures + 1, deaths: 0 };
      const liveUntil = now + retentionMs;
      return { state: 'failed', owned: false, ...counters, failedReason: reason, error, liveUntil };
    }
    case 'release': {
      const { error, retryAfterMs, countsAs } = settlement;
      return {
        owned: false,
        attempts: record.attempts - (countsAs === 'failure' ? 0 : 1),
        failures: record.failures + (countsAs === 'failure' ? 1 : 0),
        deaths: countsAs === 'interruption' ? record.deaths : 0,
        error: error ?? record.error,
        liveUntil: now + retryAfterMs,
      };
    }
  }
}
