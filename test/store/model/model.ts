import type { FailedReason } from '../../../src/index.ts';
import type {
  ClaimReply,
  ClaimRequest,
  ClaimTerms,
  ExtendReply,
  ExtendRequest,
  Settlement,
  SettleReply,
  SettleRequest,
} from '../../../src/store.ts';

/**
 * What a store must do, told a second time and in another way: a key's whole history is kept, and every answer is
 * worked out from it. Slow, simple, and without a line in common with the stores.
 */
export class Model {
  #now = 0;
  readonly #histories = new Map<string, Happening[]>();

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  claim(request: ClaimRequest, terms: Omit<ClaimTerms, 'scope'>): ClaimReply {
    const { key, token, fingerprint } = request;
    const life = this.#life(key);
    if (life.length === 0) {
      this.#note(key, { what: 'claimed', token, fingerprint, until: this.#now + terms.leaseMs });
      return { kind: 'claimed', attempts: 1, failures: 0, deadToken: null };
    }
    if (differs(fingerprintOf(life), fingerprint)) return { kind: 'mismatch' };
    const last = life.at(-1) as Happening;
    const isOver = last.what === 'failed' || last.what === 'succeeded';
    if (isOver || last.until > this.#now) return this.#answer(life, token, null);
    const hasDied = last.what === 'claimed';
    const deaths = deathsOf(life);
    const until = this.#now + terms.failedRetentionMs;
    if (failuresOf(life) >= terms.maxAttempts) {
      this.#note(key, {
        what: 'failed',
        token,
        fingerprint,
        until,
        reason: 'attempts-exhausted',
        error: null,
      });
    } else if (hasDied && deaths >= terms.maxDeaths) {
      this.#note(key, { what: 'failed', token, fingerprint, until, reason: 'deaths-exhausted', error: null });
    } else if (!terms.mayOwnSuspects && (deaths >= 2 || (deaths === 1 && terms.maxDeaths <= 2))) {
      return { kind: 'suspect', attempts: attemptsOf(life) };
    } else {
      this.#note(key, { what: 'claimed', token, fingerprint, until: this.#now + terms.leaseMs });
    }
    return this.#answer(this.#life(key), token, hasDied ? last.token : null);
  }

  settle({ key, token, settlement }: SettleRequest): SettleReply {
    const last = this.#histories.get(key)?.at(-1);
    if (last?.token !== token) return 'lost';
    if (last.what === 'claimed') this.#note(key, settledAt(this.#now, token, settlement));
    return last.what === 'failed' && settlement.kind === 'release' ? 'failed' : 'settled';
  }

  extend({ key, token }: ExtendRequest, leaseMs: number): ExtendReply {
    const last = this.#histories.get(key)?.at(-1);
    if (last?.what !== 'claimed' || last.token !== token) return 'lost';
    last.until = Math.max(last.until, this.#now + leaseMs);
    return 'extended';
  }

  /** What happened to a key since it was last absent: nothing, once a settled record's time is over. */
  #life(key: string): Happening[] {
    const history = this.#histories.get(key) ?? [];
    const last = history.at(-1);
    const over =
      last !== undefined && last.what !== 'claimed' && last.what !== 'released' && last.until <= this.#now;
    return over ? [] : history;
  }

  #note(key: string, happening: Happening): void {
    this.#histories.set(key, [...this.#life(key), happening]);
  }

  #answer(life: readonly Happening[], token: string, deadToken: string | null): ClaimReply {
    const last = life.at(-1) as Happening;
    const attempts = attemptsOf(life);
    const error = life.findLast((event) => 'error' in event && event.error !== null);
    const lastError = error !== undefined && 'error' in error ? error.error : null;
    const retryAfterMs = last.until - this.#now;
    switch (last.what) {
      case 'claimed':
        if (last.token === token) return { kind: 'claimed', attempts, failures: failuresOf(life), deadToken };
        return { kind: 'in-flight', attempts, retryAfterMs };
      case 'released':
        return { kind: 'released', attempts, retryAfterMs, error: lastError };
      case 'succeeded':
        return { kind: 'succeeded', attempts, result: last.result, resultOmitted: null };
      case 'failed':
        return {
          kind: 'failed',
          attempts,
          reason: last.reason,
          error: lastError,
          replayed: last.token !== token,
        };
    }
  }
}

type Happening = { readonly token: string; until: number } & (
  | { readonly what: 'claimed'; readonly fingerprint: string }
  | { readonly what: 'released'; readonly error: string | null; readonly uncounted: boolean }
  | { readonly what: 'succeeded'; readonly result: string | null }
  | {
      readonly what: 'failed';
      /** Of the claim that found the attempts used up. */
      readonly fingerprint?: string;
      readonly reason: FailedReason;
      readonly error: string | null;
    }
);

/** The record has that of the last claim that changed it, unless a claim had none. */
function fingerprintOf(life: readonly Happening[]): string {
  const fingerprints = life.map((happening) =>
    'fingerprint' in happening ? happening.fingerprint : undefined,
  );
  if (fingerprints.includes('')) return '';
  return fingerprints.findLast((fingerprint) => fingerprint !== undefined) ?? '';
}

function differs(one: string, other: string): boolean {
  const isComparable = one.length > 0 && other.length > 0 && one.slice(0, 2) === other.slice(0, 2);
  return isComparable && one !== other;
}

function attemptsOf(life: readonly Happening[]): number {
  const claims = life.filter(({ what }) => what === 'claimed').length;
  return claims - life.filter((event) => event.what === 'released' && event.uncounted).length;
}

function failuresOf(life: readonly Happening[]): number {
  return life.filter((event) => event.what === 'released' && !event.uncounted).length;
}

/** Claims without an end, back to the last failure. The last claim of a life has not ended unless it has lapsed. */
function deathsOf(life: readonly Happening[]): number {
  const lastFailure = life.findLastIndex((event) => event.what === 'released' && !event.uncounted);
  const since = life.slice(lastFailure + 1);
  const claims = since.filter(({ what }) => what === 'claimed').length;
  return claims - since.filter(({ what }) => what === 'released').length;
}

function settledAt(now: number, token: string, settlement: Settlement): Happening {
  switch (settlement.kind) {
    case 'succeed':
      return { what: 'succeeded', token, until: now + settlement.retentionMs, result: settlement.result };
    case 'fail':
      return {
        what: 'failed',
        token,
        until: now + settlement.retentionMs,
        reason: 'terminal',
        error: settlement.error,
      };
    case 'release': {
      const { retryAfterMs, error, uncounted } = settlement;
      return { what: 'released', token, until: now + retryAfterMs, error, uncounted };
    }
  }
}
