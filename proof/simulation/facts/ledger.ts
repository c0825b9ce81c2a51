import type { Settlement } from '../../../src/store/store.ts';
import { type Plan, type PlannedMessage, settingsOfWorker } from '../plan/plan.ts';
import type { Settings } from '../plan/settings.ts';
import type { Life } from '../time/life.ts';
import type { AskedAt, ClaimEffect, ExtendEffect, Fact, Run, RunEnd, SettleEffect } from './facts.ts';
import { Logs } from './kafka-logs.ts';

/** A claim that a store has granted. Times are those of the world. */
export interface GrantedClaim {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly life: Life;
  readonly askedAt: number;
  readonly grantedAt: number;
  /** Which attempt it is, as this ledger counts. */
  readonly number: number;
  /** When the last extension landed, or the claim. */
  extendedAt: number;
  /** When that extension was sent, or the claim: for its owner the lease is counted from then. */
  heldFrom: number;
  readonly leaseMs: number;
  /** By the clock of the database. */
  leaseEnd: number;
  /** When the last claim or heartbeat was sent whose good reply the owner has. */
  confirmed: AskedAt | undefined;
  /** Whether a reply has said to its owner that the record is not its own any more. */
  wasDenied: boolean;
  /** Whether a good reply has come only when its owner had given up. */
  wasLate: boolean;
  run: Run | undefined;
  runEnd: RunEnd | undefined;
  /** When its handler ended, as far as it did. */
  endedAt: number | undefined;
  settlement: Settlement | undefined;
}

/** What is on record for a key. */
interface Settled {
  readonly state: 'succeeded' | 'failed';
  /** By the clock of the database. */
  readonly until: number;
  /** What the handler has returned. Undefined where it has failed, or the record could not keep that. */
  readonly result: string | undefined;
}

/** What is known of a step. */
interface StepHistory {
  /** What its code has returned, in whatever run. */
  readonly done: Set<unknown>;
  /** What handlers were given, as far as one was. */
  given: { readonly result: unknown } | undefined;
  /** The runs in which its code has begun and has not ended. */
  readonly open: Set<Run>;
}

/** What is known of one key. */
export interface KeyHistory {
  /** Since it was last absent, or had expired. */
  claims: GrantedClaim[];
  /** The one that holds the record, or let its lease lapse. */
  owner: GrantedClaim | undefined;
  attempts: number;
  failures: number;
  deaths: number;
  /** Until then it backs off, by the clock of the database. Undefined: it was not released. */
  releasedUntil: number | undefined;
  settled: Settled | undefined;
  wasRetried: boolean;
  wasForgotten: boolean;
  /** By name. */
  steps: Map<string, StepHistory>;
  /** The bodies that were ever put on record as that. */
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
  /** The bodies that were ever refused, while the record was of another one. */
  readonly refused: Set<string>;
  /** What handlers have returned that was ever put on record. Undefined where a record could not keep it. */
  readonly results: Set<string | undefined>;
}

/** Of a lease: its owner gives up a little earlier. */
const GIVEN_UP_SHARE = 0.98;

type Release = Extract<Settlement, { readonly kind: 'release' }>;

/**
 * What the rules know: kept apart from the records, from what was asked and what was said, so that it is right where
 * they are wrong.
 */
export class Ledger {
  /** What all workers have in common. */
  readonly settings: Pick<Settings, 'onFailed' | 'interrupts' | 'retentionMs'>;
  readonly logs = new Logs();
  /** Of all messages so far. */
  deliveries = 0;
  readonly #keys = new Map<string, KeyHistory>();
  /** By their fingerprints: of claims that no handler ran for. */
  readonly #bodies = new Map<string, string>();
  readonly #claims = new Map<string, GrantedClaim>();
  /** The last claim of a key whose reply has reached a life: its handler runs for that. */
  readonly #inHand = new Map<string, GrantedClaim>();
  readonly #claimOfRun = new Map<Run, GrantedClaim>();
  /** Since they were sent, the last time. */
  readonly #undelivered = new Set<PlannedMessage>();
  readonly #letters = new Map<string, number>();
  /** What has a dead letter that was not redriven since. */
  readonly #lettered = new Set<string>();
  readonly #deliveries = new Map<string, number>();
  /** What has been sent in order, and is still at the queue. */
  readonly #groups = new Map<string, PlannedMessage[]>();
  readonly #extending = new Map<Life, { underWay: number; answeredAt: number }>();

  readonly #plan: Pick<Plan, 'settings' | 'settingsBeside'>;
  /** By how much the clock of the database was set. */
  #databaseAheadMs = 0;

  constructor(plan: Pick<Plan, 'settings' | 'settingsBeside'>) {
    this.#plan = plan;
    this.settings = plan.settings;
  }

  settingsOf({ worker }: Life): Settings {
    return settingsOfWorker(this.#plan, worker);
  }

  /** The same moment by the clock of the database, which alone decides. */
  byDatabase(at: number): number {
    return at + this.#databaseAheadMs;
  }

  /**
   * Whether no clock of the owner says that its lease is over, and no reply did. Where it is all the same, the clock of
   * the database was set forward, or the machine of the owner was paused with both of its clocks.
   */
  seemsKept({ life, leaseMs, confirmed, wasDenied }: GrantedClaim): boolean {
    return !wasDenied && confirmed !== undefined && life.shownMs() - confirmed.shownMs < leaseMs;
  }

  ofKey(key: string): KeyHistory {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const sets = { succeeded: new Set<string>(), failed: new Set<string>(), refused: new Set<string>() };
    const fresh: KeyHistory = { ...nothing(), ...sets, results: new Set() };
    this.#keys.set(key, fresh);
    return fresh;
  }

  claimOf(token: string): GrantedClaim | undefined {
    return this.#claims.get(token);
  }

  /** When the last run of a batch has ended. */
  endOfTogether({ together }: Run): number {
    const claims = together.flatMap(({ key = '' }) =>
      this.ofKey(key).claims.filter((claim) => claim.run?.together === together),
    );
    return Math.max(...claims.map(({ endedAt = Infinity }) => endedAt));
  }

  /** The runs of a process that look at their signals, and go on with leases that seem kept. */
  runningIn(life: Life): readonly Run[] {
    const going = [...this.#claims.values()].filter(
      (claim) => claim.life === life && claim.runEnd === undefined && this.seemsKept(claim),
    );
    return going.flatMap(({ run }) => (run?.heeds === true ? run : []));
  }

  claimOfRun(run: Run): GrantedClaim | undefined {
    return this.#claimOfRun.get(run);
  }

  /** A step of a run, in this life of its key. Undefined where the run is of another. */
  stepOf({ run, name }: { readonly run: Run; readonly name: string }): StepHistory | undefined {
    const { claims, steps } = this.ofKey(run.message.key ?? '');
    const claim = this.claimOfRun(run);
    if (claim === undefined || !claims.includes(claim)) return undefined;
    const step = steps.get(name) ?? { done: new Set(), given: undefined, open: new Set() };
    steps.set(name, step);
    return step;
  }

  /** The body that a claim is of: what has run for it, and not what the store was given to compare. */
  bodyOf({ fingerprint, run }: Pick<GrantedClaim, 'fingerprint' | 'run'>): string {
    return run?.message.body ?? this.#bodies.get(fingerprint) ?? '';
  }

  /** The claim that a run which begins now is of. */
  inHandOf({ life, message }: Run): GrantedClaim | undefined {
    return this.#inHand.get(`${life.id} ${message.key ?? ''}`);
  }

  /** How many dead letters of a message there are. */
  lettersOf({ id }: PlannedMessage): number {
    return this.#letters.get(id) ?? 0;
  }

  /** Whether it is with the dead letters. */
  hasLetter({ id }: PlannedMessage): boolean {
    return this.#lettered.has(id);
  }

  deliveriesOf({ id }: PlannedMessage): number {
    return this.#deliveries.get(id) ?? 0;
  }

  /**
   * Those of its group that were sent before it, and are still at the queue. None where no order is kept, and of one
   * that was sent again and not delivered since: what runs of it came before them.
   */
  beforeInGroup(message: PlannedMessage): readonly PlannedMessage[] {
    if (this.#undelivered.has(message)) return [];
    const sent = this.#groups.get(message.group) ?? [];
    return sent.slice(0, Math.max(0, sent.indexOf(message)));
  }

  /** Whether a life has a heartbeat under way, or has just had an answer to one: then others have waited for it. */
  isExtending(life: Life, at: number): boolean {
    const { underWay = 0, answeredAt = -1 } = this.#extending.get(life) ?? {};
    return underWay > 0 || answeredAt === at;
  }

  /** Whether a claim would find nothing of a key. */
  isAbsent({ settled, claims }: KeyHistory, at: number): boolean {
    return claims.length === 0 || (settled !== undefined && this.byDatabase(at) >= settled.until);
  }

  /** Takes a fact in. Rules look at it before. */
  note(fact: Fact, at: number): void {
    this.logs.note(fact);
    switch (fact.type) {
      case 'claim':
        this.#noteClaim(fact, at);
        break;
      case 'settle':
        this.#noteSettle(fact, at);
        break;
      case 'extend':
        this.#noteExtend(fact, at);
        break;
      case 'step-began':
        this.stepOf(fact)?.open.add(fact.run);
        break;
      case 'step-done':
        this.stepOf(fact)?.done.add(fact.result);
        this.stepOf(fact)?.open.delete(fact.run);
        break;
      case 'step':
        Object.assign(this.stepOf(fact) ?? {}, { given: { result: fact.result } });
        break;
      case 'asked':
        if (fact.verb === 'extend') this.#countExtending(fact.life, 1, -1);
        break;
      case 'answered':
        if (fact.verb === 'extend') this.#countExtending(fact.life, -1, at);
        break;
      case 'confirmed':
        this.#noteConfirmed(fact);
        break;
      case 'denied':
        Object.assign(this.#claims.get(fact.token) ?? {}, { wasDenied: true });
        break;
      case 'database-clock-set':
        this.#databaseAheadMs += fact.ms;
        break;
      case 'run':
        this.#noteRun(fact.run);
        break;
      case 'ended':
        this.#noteEnd(fact.run, fact.end, at);
        break;
      case 'retried':
        Object.assign(this.ofKey(fact.key), { ...RETRIED, releasedUntil: this.byDatabase(at) });
        break;
      case 'forgotten':
        Object.assign(this.ofKey(fact.key), nothing(), { wasForgotten: true });
        break;
      case 'purged': {
        const history = this.ofKey(fact.key);
        if (history.settled !== undefined) history.settled = { ...history.settled, until: -Infinity };
        break;
      }
      case 'letter':
        this.#lettered.add(fact.message.id);
        this.#letters.set(fact.message.id, this.lettersOf(fact.message) + 1);
        break;
      case 'delivered':
        this.deliveries += 1;
        this.#undelivered.delete(fact.message);
        this.#bodies.set(fact.message.fingerprint, fact.message.body);
        this.#deliveries.set(fact.message.id, this.deliveriesOf(fact.message) + 1);
        break;
      case 'sent':
        this.#lettered.delete(fact.message.id);
        if (fact.isInOrder) this.#noteSent(fact.message);
        break;
      case 'acknowledged':
      case 'redriven':
        this.#noteGone(fact.message);
        break;
      case 'appended':
      case 'committed':
      case 'effect':
      case 'event':
      case 'fault':
      case 'fetched':
      case 'joined':
      case 'keep':
      case 'letter-answered':
      case 'letter-asked':
      case 'life':
      case 'log-begins':
      case 'polled':
      case 'position-committed':
      case 'told':
        break;
    }
  }

  #noteSent(message: PlannedMessage): void {
    this.#undelivered.add(message);
    const { group } = message;
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), message]);
  }

  #noteGone(message: PlannedMessage): void {
    const { group } = message;
    const left = this.#groups.get(group)?.filter((one) => one !== message);
    if (left !== undefined) this.#groups.set(group, left);
  }

  #noteClaim({ life, key, token, fingerprint, terms, reply, sentAt }: ClaimEffect, at: number): void {
    const history = this.ofKey(key);
    if (reply.kind === 'failed' && !reply.replayed) {
      const last = history.claims.findLast((claim) => claim.run !== undefined);
      this.#fail(history, at, this.bodyOf(last ?? { fingerprint, run: undefined }));
      return;
    }
    if (reply.kind === 'mismatch') {
      const body = this.bodyOf({ fingerprint, run: undefined });
      if (history.claims.some((claim) => this.bodyOf(claim) !== body)) history.refused.add(body);
    }
    if (reply.kind !== 'claimed') return;
    if (this.isAbsent(history, at)) Object.assign(history, nothing());
    else if (history.owner !== undefined) history.deaths += 1;
    history.attempts += 1;
    const claim: GrantedClaim = {
      ...{ key, token, fingerprint, life, askedAt: sentAt, grantedAt: at, number: history.attempts },
      ...{
        extendedAt: at,
        heldFrom: sentAt,
        leaseMs: terms.leaseMs,
        leaseEnd: this.byDatabase(at) + terms.leaseMs,
      },
      ...{
        confirmed: undefined,
        wasDenied: false,
        wasLate: false,
        run: undefined,
        runEnd: undefined,
        endedAt: undefined,
        settlement: undefined,
      },
    };
    this.#claims.set(token, claim);
    history.claims.push(claim);
    Object.assign(history, { owner: claim, releasedUntil: undefined, wasRetried: false });
  }

  #fail(history: KeyHistory, at: number, body: string): void {
    history.failed.add(body);
    Object.assign(history, {
      owner: undefined,
      settled: { state: 'failed', until: this.#expiryOf(at), result: undefined },
      releasedUntil: undefined,
    });
  }

  #noteSettle({ key, token, settlement, before, after }: SettleEffect, at: number): void {
    if (before?.owned !== true || after?.owned !== false) return;
    const history = this.ofKey(key);
    const claim = this.#claims.get(token);
    if (claim === undefined || history.owner !== claim) return;
    claim.settlement = settlement;
    history.owner = undefined;
    switch (settlement.kind) {
      case 'succeed':
        this.#succeed(history, claim, at);
        break;
      case 'fail':
        history.failures += 1;
        this.#fail(history, at, this.bodyOf(claim));
        break;
      case 'release':
        this.#release(history, claim, settlement.countsAs, at);
        break;
    }
  }

  #release(history: KeyHistory, claim: GrantedClaim, countsAs: Release['countsAs'], at: number): void {
    if (countsAs === 'failure') history.failures += 1;
    else history.attempts -= 1;
    if (countsAs !== 'interruption') history.deaths = 0;
    const backoffMs = countsAs === 'interruption' ? 0 : this.#backoffOf(claim, history);
    history.releasedUntil = this.byDatabase(at) + backoffMs;
  }

  /** As the settings have it, whatever the store was asked for. */
  #expiryOf(at: number): number {
    return this.byDatabase(at) + this.settings.retentionMs;
  }

  #succeed(history: KeyHistory, claim: GrantedClaim, at: number): void {
    const { runEnd } = claim;
    const returned = runEnd?.how === 'returned' ? runEnd : undefined;
    const result = returned?.canBeStored === true ? returned.result : undefined;
    history.succeeded.add(this.bodyOf(claim));
    history.results.add(result).add(returned?.result);
    history.settled = { state: 'succeeded', until: this.#expiryOf(at), result };
  }

  /** What the retry after a thrown error has to wait for, as the settings and the handler have it. */
  #backoffOf({ runEnd }: GrantedClaim, { failures }: KeyHistory): number {
    const asked = runEnd?.how === 'threw' ? runEnd.retryAfterMs : undefined;
    return asked ?? this.#plan.settings.backoffMs * failures;
  }

  #noteExtend({ token, leaseMs, sentAt, reply }: ExtendEffect, at: number): void {
    const claim = this.#claims.get(token);
    if (claim === undefined || reply !== 'extended') return;
    const leaseEnd = Math.max(claim.leaseEnd, this.byDatabase(at) + leaseMs);
    // A heartbeat that was held up until its owner had given up says nothing of why it had.
    const isGivenUp = claim.runEnd?.how === 'lost its lease' || claim.wasLate || !this.seemsKept(claim);
    const heldFrom = isGivenUp ? claim.heldFrom : sentAt;
    Object.assign(claim, { extendedAt: at, heldFrom, leaseEnd });
  }

  #noteConfirmed({ verb, life, key, token, askedAt }: Extract<Fact, { type: 'confirmed' }>): void {
    const claim = this.#claims.get(token);
    if (claim === undefined) return;
    const silentMs = claim.confirmed === undefined ? 0 : life.shownMs() - claim.confirmed.shownMs;
    if (silentMs >= GIVEN_UP_SHARE * claim.leaseMs) claim.wasLate = true;
    // The reply to a claim comes too late once that was taken back, or sent again and answered.
    const held = this.#inHand.get(`${life.id} ${key}`);
    const wasAnswered = (held?.confirmed?.monotonicMs ?? 0) > askedAt.monotonicMs;
    if (
      verb === 'claim' &&
      claim.settlement === undefined &&
      !(wasAnswered && held?.settlement === undefined)
    )
      this.#inHand.set(`${life.id} ${key}`, claim);
    if (askedAt.monotonicMs >= (claim.confirmed?.monotonicMs ?? 0)) claim.confirmed = askedAt;
  }

  #noteRun(run: Run): void {
    const claim = this.inHandOf(run);
    if (claim === undefined) return;
    // In a transaction that lost a conflict it has run before.
    Object.assign(claim, { run, runEnd: undefined, endedAt: undefined });
    this.#claimOfRun.set(run, claim);
  }

  #noteEnd(run: Run, end: RunEnd, at: number): void {
    const claim = this.#claimOfRun.get(run);
    // The server may notice late that the connection of an earlier run has broken.
    if (claim?.run !== run) return;
    if (end.how !== 'undone') claim.endedAt = at;
    const { runEnd } = claim;
    // What it returns then is not put on record; what it threw is.
    const isUndone = runEnd?.how === 'undone' && end.how === 'returned';
    const isLater = end.how === 'undone' || end.how === 'lost its lease' || end.how === 'gave up';
    const hasThrown = isLater && runEnd !== undefined && runEnd.how !== 'returned';
    if (!isUndone && !hasThrown) claim.runEnd = end;
  }

  #countExtending(life: Life, by: number, answeredAt: number): void {
    const known = this.#extending.get(life) ?? { underWay: 0, answeredAt: -1 };
    const latest = Math.max(known.answeredAt, answeredAt);
    this.#extending.set(life, { underWay: known.underWay + by, answeredAt: latest });
  }
}

function nothing(): Omit<KeyHistory, 'succeeded' | 'failed' | 'refused' | 'results'> {
  return {
    claims: [],
    owner: undefined,
    attempts: 0,
    failures: 0,
    deaths: 0,
    releasedUntil: undefined,
    settled: undefined,
    wasRetried: false,
    wasForgotten: false,
    steps: new Map(),
  };
}

const RETRIED = { failures: 0, deaths: 0, settled: undefined, wasRetried: true };
