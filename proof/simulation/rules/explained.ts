import type { ClaimEffect, Run } from '../facts/facts.ts';
import type { GrantedClaim, KeyHistory, Ledger } from '../facts/ledger.ts';
import type { Cause } from '../facts/names.ts';
import type { Interval, Life } from '../time/life.ts';
import { ROUNDING_MS, type Rule } from './rule.ts';

/**
 * Attributes each further claim of a key to the cause that the documentation allows, and counts who has acted for it:
 * between two causes that excuse it, one claim. It counts by itself, so that nothing that befalls a record makes it
 * forget.
 */
export function createExplained(onCause: (cause: Cause) => void): Rule {
  /** How many causes there were of a key until a claim was granted, by its token. */
  const causesBefore = new Map<string, number>();
  const causesOf = new Map<string, number>();
  /** The tokens that have acted, by key and count of causes. */
  const acted = new Map<string, string>();

  function ofClaim({ key, token, life }: ClaimEffect, ledger: Ledger, at: number): string | undefined {
    const history = ledger.ofKey(key);
    const isFirst = history.claims.length === 0 && !history.wasForgotten;
    const cause = isFirst ? undefined : causeOf(history, ledger, at);
    if (!isFirst && cause === undefined)
      return `${key} is claimed again by ${life.id}, and nothing explains it`;
    if (cause !== undefined) onCause(cause);
    const isExcuse = cause !== undefined && !WITHOUT_RUN.has(cause);
    const causes = (causesOf.get(key) ?? 0) + (isExcuse ? 1 : 0);
    causesOf.set(key, causes);
    causesBefore.set(token, causes);
    return undefined;
  }

  function ofEffect(run: Run, ledger: Ledger): string | undefined {
    const { key = '', id } = run.message;
    const token = ledger.claimOfRun(run)?.token ?? '';
    const period = `${key} ${causesBefore.get(token)}`;
    const other = acted.get(period) ?? token;
    acted.set(period, other);
    return other === token
      ? undefined
      : `${run.life.id} has an effect of ${id} once more, and nothing explains it`;
  }

  return {
    name: 'explained',
    promise:
      'A message has its effects again only for a cause that is documented, and each further time has one.',
    violatedBy(fact, ledger, at) {
      if (fact.type === 'effect') return ofEffect(fact.run, ledger);
      return fact.type === 'claim' && fact.reply.kind === 'claimed' ? ofClaim(fact, ledger, at) : undefined;
    },
  };
}

/** After these no handler has run: they excuse no second effect. */
const WITHOUT_RUN: ReadonlySet<Cause> = new Set([
  'its claim was taken back',
  'its claim landed too late',
] as const);

function causeOf(history: KeyHistory, ledger: Ledger, at: number): Cause | undefined {
  if (history.wasForgotten) return 'an operator forgot it';
  if (ledger.isAbsent(history, at)) return 'its record expired';
  if (history.settled !== undefined) return undefined;
  if (history.wasRetried) return 'an operator retried it';
  if (history.owner !== undefined) return whyLapsed(history.owner, ledger, at);
  return causeOfRelease(history.claims.at(-1), ledger, at);
}

function causeOfRelease(last: GrantedClaim | undefined, ledger: Ledger, at: number): Cause | undefined {
  if (last?.settlement?.kind !== 'release') return undefined;
  if (last.settlement.countsAs !== 'interruption') return 'it threw';
  if (last.run === undefined) return 'its claim was taken back';
  const { isStopping, clockChanges, standstills } = last.life;
  const isTold = ledger.settings.interrupts || isStopping;
  if (isTold && last.runEnd?.how !== 'lost its lease') return 'it was interrupted';
  if (last.run.together.length > 1) return 'its batch was stopped';
  if (clockChanges.length > 0) return 'a wall clock was set';
  if (standstills.length > 0) return 'its worker was frozen';
  // Its lease was in doubt: its handler is interrupted, and what it has undone is released.
  return wasKeptFromStore(last, { from: last.heldFrom, to: at }, ledger)
    ? 'the store was out of reach'
    : undefined;
}

/** Why a lease was not kept. From its last extension on, its owner must have been kept from the next. */
function whyLapsed(owner: GrantedClaim, ledger: Ledger, at: number): Cause | undefined {
  const { life, leaseMs } = owner;
  const lapse: Interval = { from: owner.heldFrom, to: at };
  if (!life.isAlive) return 'its worker died';
  if (life.standstills.some((one) => isWithin(one, lapse))) return 'its worker was frozen';
  if (life.clockChanges.some((time) => isWithin({ from: time, to: time }, lapse)))
    return 'a wall clock was set';
  if (at < owner.extendedAt + leaseMs - ROUNDING_MS) return 'the clock of the database was set';
  if (owner.run === undefined && owner.grantedAt - owner.askedAt > leaseMs)
    return 'its claim landed too late';
  if (wasKeptFromStore(owner, lapse, ledger)) return 'the store was out of reach';
  return isGivenUp(owner, ledger, at) ? 'its transaction was given up' : undefined;
}

/** Whether a call of the claim itself did not go well, or had to wait behind such calls. */
function wasKeptFromStore({ life, token }: GrantedClaim, lapse: Interval, ledger: Ledger): boolean {
  const { batching } = ledger.settingsOf(life);
  const troubles = life.troubles
    .map((one) => ({ ...one, to: endOf(one, life) }))
    .filter((one) => isWithin(one, lapse));
  if (troubles.some(({ tokens }) => tokens?.includes(token) ?? true)) return true;
  return (['extend', 'settle'] as const).some((verb) => {
    const ofVerb = troubles.filter((one) => one.verb === verb);
    const atOnce = AT_ONCE[verb][batching ? 'batching' : 'alone'];
    return ofVerb.some((one) => ofVerb.filter((other) => isWithin(one, other)).length >= atOnce);
  });
}

/** A wait by a clock that had stopped meanwhile ends that much later. */
function endOf({ from, to }: Interval, { standstills }: Life): number {
  return standstills.reduce(
    (end, one) => (isWithin(one, { from, to: end }) ? end + one.to - one.from : end),
    to,
  );
}

/** How many statements of a verb a process sends at once for one scope: others wait behind them. */
const AT_ONCE = { extend: { batching: 2, alone: 1 }, settle: { batching: 2, alone: 5 } };

/** A call does not wait for a transaction whose handler goes on after its timeout. */
function isGivenUp({ run, life, grantedAt }: GrantedClaim, ledger: Ledger, at: number): boolean {
  const { leaseMs, timeoutMs = leaseMs } = ledger.settingsOf(life);
  if (run?.isInTransaction !== true) return false;
  return Math.min(ledger.endOfTogether(run), at) - grantedAt >= timeoutMs;
}

function isWithin({ from, to }: Interval, other: Interval): boolean {
  return from <= other.to && to >= other.from;
}
