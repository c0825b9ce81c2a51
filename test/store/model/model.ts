import { expect } from 'vitest';
import type { FailedReason } from '../../../src/index.ts';
import type { RecordPhase } from '../../../adapters/operations/record.ts';
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
} from '../../../src/store.ts';

/**
 * What a store must do, told a second time and in another way: a key's whole history is kept, and every answer is
 * worked out from it. Slow, simple, and without a line in common with the stores.
 */
export class Model {
  #now = 0;
  readonly #histories = new Map<string, Happening[]>();
  readonly #lines = new Map<string, Written[]>();

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  claim(request: ClaimRequest, terms: Omit<ClaimTerms, 'scope'>): ClaimReply {
    const { key, token, fingerprint } = request;
    const life = this.#life(key);
    const until = this.#now + terms.leaseMs;
    const claimed: Happening = { what: 'claimed', token, fingerprint, at: this.#now, until };
    if (life.length === 0) {
      this.#note(key, claimed);
      return { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };
    }
    if (differs(fingerprintOf(life), fingerprint)) return { kind: 'mismatch' };
    const last = life.at(-1) as Happening;
    if (isSettled(last) || last.until > this.#now) return this.#answer(life, token, null);
    const hasDied = last.what === 'claimed';
    const deaths = deathsOf(life);
    const failure = {
      what: 'failed',
      token,
      fingerprint,
      until: this.#now + terms.failedRetentionMs,
    } as const;
    if (failuresOf(life) >= terms.maxAttempts) {
      this.#note(key, { ...failure, reason: 'attempts-exhausted', error: null });
    } else if (hasDied && deaths >= terms.maxDeaths) {
      this.#note(key, { ...failure, reason: 'deaths-exhausted', error: null });
    } else if (!terms.mayOwnSuspects && (deaths >= 2 || (deaths === 1 && terms.maxDeaths <= 2))) {
      return { kind: 'suspect', attempts: attemptsOf(life) };
    } else {
      this.#note(key, claimed);
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

  keep({ key, token, steps }: KeepRequest): KeepReply {
    const history = this.#histories.get(key) ?? [];
    const last = history.at(-1);
    if (last?.what !== 'claimed' || last.token !== token) return 'lost';
    if (steps.length >= (stepsOf(history) ?? '').length) last.steps = steps;
    return 'kept';
  }

  /** Settles in a transaction, all or none: what its token has settled before is no settle of this one. */
  settleLast(requests: readonly SettleRequest[]): 'settled' | 'lost' {
    const isOurs = ({ key, token }: SettleRequest): boolean => {
      const last = this.#histories.get(key)?.at(-1);
      return last?.what === 'claimed' && last.token === token;
    };
    if (!requests.every(isOurs)) return 'lost';
    for (const request of requests) this.settle(request);
    return 'settled';
  }

  lookup(key: string): LookupReply | undefined {
    const life = this.#life(key);
    const last = life.at(-1);
    if (last === undefined) return undefined;
    const reply = this.#answer(life, last.what === 'claimed' ? 'of another' : '', null) as LookupReply;
    return 'retryAfterMs' in reply ? { ...reply, retryAfterMs: Math.max(0, reply.retryAfterMs) } : reply;
  }

  /** What a person is shown, without times. */
  show(key: string): object | undefined {
    const history = this.#histories.get(key) ?? [];
    const last = history.at(-1);
    if (last === undefined) return undefined;
    return {
      ...{ key, state: stateOf(last), phase: this.#phase(last), attempts: attemptsOf(history) },
      ...countsOf(history),
      ...(last.what === 'failed' && { failedReason: last.reason }),
      ...(last.what !== 'succeeded' && shownError(last, history)),
      ...(last.what === 'succeeded' && last.result !== null && { result: last.result }),
      ...(last.what !== 'succeeded' && shownSteps(stepsOf(history))),
    };
  }

  retry(key: string): object {
    const last = this.#histories.get(key)?.at(-1);
    if (last === undefined) return { state: 'unchanged', found: 'absent' };
    const found = this.#phase(last);
    if (found !== 'failed') return { state: 'unchanged', found };
    const foundDead = last.what === 'failed' && last.reason === 'deaths-exhausted';
    const token = foundDead ? '00000000-0000-0000-0000-000000000000' : last.token;
    this.#note(key, { what: 'retried', token, until: this.#now });
    return { state: 'retried' };
  }

  forget(key: string): object {
    const last = this.#histories.get(key)?.at(-1);
    this.#histories.delete(key);
    this.#lines.delete(key);
    return last === undefined ? { state: 'absent' } : { state: 'forgotten', was: this.#phase(last) };
  }

  /** What is written about attempts beside the record. */
  write(key: string, lines: readonly Line[]): void {
    const history = this.#histories.get(key) ?? [];
    const written = lines.map((line) => {
      const endedAt = this.#now - line.ageMs;
      return { ...line, endedAt, life: endedAt >= firstClaimOf(history) ? history[0] : undefined };
    });
    this.#lines.set(key, [...(this.#lines.get(key) ?? []), ...written]);
  }

  explain(key: string): object {
    const attempts = (this.#lines.get(key) ?? []).map(({ attempt, ending }) => ({ attempt, ending }));
    const shown = this.show(key);
    return { record: shown && { ...shown, result: undefined }, attempts };
  }

  /**
   * A walk of maintenance. Gives what it deletes, as the archive has it, and counts the others. One that another runner
   * has taken over deletes nothing.
   */
  purge({ abandonedAfterMs, purgeAfterMs, isTakenOver }: Walk): Purged {
    const archived: object[] = [];
    const left: { readonly overForMs: number; readonly isPending: boolean }[] = [];
    for (const [key, history] of this.#histories) {
      const last = history.at(-1) as Happening;
      const one = { overForMs: this.#now - last.until, isPending: !isSettled(last) };
      if (one.overForMs < (one.isPending ? purgeAfterMs : 0)) {
        left.push(one);
      } else if (!isTakenOver) {
        archived.push(archivedOf(key, history));
        this.forget(key);
      }
    }
    const abandoned = left.filter(({ isPending, overForMs }) => isPending && overForMs >= abandonedAfterMs);
    return { archived, records: left.length, abandoned: abandoned.length };
  }

  /** What maintenance leaves: no lines of an earlier life of a key, nor old ones of a key without a record. */
  linesLeft({ purgeAfterMs }: Walk): readonly object[] {
    for (const [key, lines] of this.#lines) {
      const birth = this.#histories.get(key)?.[0];
      const isKept = ({ life, endedAt }: Written): boolean =>
        birth === undefined ? endedAt > this.#now - purgeAfterMs : life === birth;
      this.#lines.set(key, lines.filter(isKept));
    }
    const keys = [...this.#lines.keys()].toSorted();
    return keys.flatMap((key) =>
      (this.#lines.get(key) ?? []).map(({ attempt, ending }) => ({ key, attempt, ending })),
    );
  }

  #phase(last: Happening): RecordPhase {
    const isLive = last.until > this.#now;
    if (isSettled(last)) return isLive ? last.what : 'expired';
    if (last.what === 'claimed') return isLive ? 'running' : 'lapsed';
    return isLive ? 'backing-off' : 'waiting';
  }

  /** What happened to a key since it was last absent: nothing, once a settled record's time is over. */
  #life(key: string): Happening[] {
    const history = this.#histories.get(key) ?? [];
    const last = history.at(-1);
    return last !== undefined && isSettled(last) && last.until <= this.#now ? [] : history;
  }

  #note(key: string, happening: Happening): void {
    this.#histories.set(key, [...this.#life(key), happening]);
  }

  #answer(life: readonly Happening[], token: string, deadToken: string | null): ClaimReply {
    const last = life.at(-1) as Happening;
    const attempts = attemptsOf(life);
    const lastError = lastErrorOf(life);
    const retryAfterMs = last.until - this.#now;
    switch (last.what) {
      case 'claimed':
        if (last.token === token) {
          const ageMs = this.#now - firstClaimOf(life);
          const failures = failuresOf(life);
          return { kind: 'claimed', attempts, failures, ageMs, deadToken, ...keptIn(life) };
        }
        return { kind: 'in-flight', attempts, retryAfterMs };
      case 'released':
      case 'retried':
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
          ...(last.token === token && deadToken !== null && { deadToken }),
        };
    }
  }
}

type CountsAs = Extract<Settlement, { readonly kind: 'release' }>['countsAs'];

type Happening = { readonly token: string; until: number } & (
  | { readonly what: 'claimed'; readonly fingerprint: string; readonly at: number; steps?: string }
  | { readonly what: 'released'; readonly error: string | null; readonly countsAs: CountsAs }
  | { readonly what: 'retried' }
  | { readonly what: 'succeeded'; readonly result: string | null }
  | {
      readonly what: 'failed';
      /** Of the claim that found the attempts used up. */
      readonly fingerprint?: string;
      readonly reason: FailedReason;
      readonly error: string | null;
    }
);

/** About an attempt that ended badly. */
export interface Line {
  readonly attempt: number;
  readonly ending: string;
  /** How long ago it ended. */
  readonly ageMs: number;
}

interface Written extends Line {
  readonly endedAt: number;
  /** The first claim of the record that it is about, where it ended after that. */
  readonly life: Happening | undefined;
}

export interface Walk {
  readonly afterMs: number;
  readonly abandonedAfterMs: number;
  readonly purgeAfterMs: number;
  readonly isTakenOver: boolean;
}

export interface Purged {
  readonly archived: readonly object[];
  readonly records: number;
  readonly abandoned: number;
}

function isSettled(last: Happening): last is Happening & { readonly what: 'succeeded' | 'failed' } {
  return last.what === 'succeeded' || last.what === 'failed';
}

function stateOf(last: Happening): string {
  return isSettled(last) ? last.what : 'pending';
}

function lastErrorOf(life: readonly Happening[]): string | null {
  const event = life.findLast((one) => 'error' in one && one.error !== null);
  return event !== undefined && 'error' in event ? event.error : null;
}

/** The last that were kept. */
function stepsOf(life: readonly Happening[]): string | undefined {
  const kept = life.map((one) => (one.what === 'claimed' ? one.steps : undefined));
  return kept.findLast((steps) => steps !== undefined);
}

function keptIn(life: readonly Happening[]): { readonly steps?: string } {
  const steps = stepsOf(life);
  return steps === undefined ? {} : { steps };
}

function shownSteps(steps: string | undefined): object {
  return steps === undefined ? {} : { steps: Object.keys(JSON.parse(steps) as object) };
}

function shownError(last: Happening, history: readonly Happening[]): object {
  const json = lastErrorOf(history);
  const given: unknown = json === null ? undefined : JSON.parse(json);
  if (last.what !== 'failed' || last.reason !== 'deaths-exhausted')
    return json === null ? {} : { error: given };
  const message = expect.stringContaining(`attempt ${attemptsOf(history)} lost its worker`) as string;
  return { error: { name: 'DeathsExhaustedError', message, ...(json !== null && { cause: given }) } };
}

/** As they are in the table: a claim that has not ended is no death yet, and the last failure is one. */
function countsOf(life: readonly Happening[]): { readonly failures: number; readonly deaths: number } {
  const last = life.at(-1);
  const hasJustFailed = last?.what === 'failed' && last.reason === 'terminal';
  const isNoDeath = last?.what === 'claimed' || last?.what === 'succeeded';
  return {
    failures: failuresOf(life) + (hasJustFailed ? 1 : 0),
    deaths: hasJustFailed ? 0 : deathsOf(life) - (isNoDeath ? 1 : 0),
  };
}

function archivedOf(key: string, life: readonly Happening[]): object {
  const last = life.at(-1) as Happening;
  return {
    ...{ key, token: last.token, state: stateOf(last), fingerprint: fingerprintOf(life) },
    ...{ attempts: attemptsOf(life), ...countsOf(life), error: lastErrorOf(life) },
    failed_reason: last.what === 'failed' ? last.reason : null,
    result: last.what === 'succeeded' ? last.result : null,
    steps: last.what === 'succeeded' ? null : (stepsOf(life) ?? null),
  };
}

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

function firstClaimOf(life: readonly Happening[]): number {
  const first = life.find((event) => event.what === 'claimed');
  return first?.at ?? 0;
}

function attemptsOf(life: readonly Happening[]): number {
  const claims = life.filter(({ what }) => what === 'claimed').length;
  return claims - life.filter((event) => event.what === 'released' && event.countsAs !== 'failure').length;
}

/** Since a person had it retried. */
function failuresOf(life: readonly Happening[]): number {
  const since = life.slice(life.findLastIndex(({ what }) => what === 'retried') + 1);
  return since.filter((event) => event.what === 'released' && event.countsAs === 'failure').length;
}

/**
 * Claims without an end, back to the last failure or deferral. The last claim of a life has not ended unless it has
 * lapsed.
 */
function deathsOf(life: readonly Happening[]): number {
  const lastFailure = life.findLastIndex(
    (event) => event.what === 'retried' || (event.what === 'released' && event.countsAs !== 'interruption'),
  );
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
      const { retryAfterMs, error, countsAs } = settlement;
      return { what: 'released', token, until: now + retryAfterMs, error, countsAs };
    }
  }
}
