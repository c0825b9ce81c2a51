import type { GrantedClaim, KeyHistory, Ledger } from '../ledger.ts';
import type { Settings } from '../plan/settings.ts';
import type { Cause } from '../report/names.ts';
import type { Interval } from '../world/life.ts';
import type { Rule } from './rule.ts';

/** Attributes each further claim of a key to the cause that the documentation allows. */
export function createExplained(onCause: (cause: Cause) => void): Rule {
  return {
    name: 'explained',
    promise: 'A message is run again only for a cause that is documented, and each further run has one.',
    violatedBy(fact, ledger, at) {
      if (fact.type !== 'claim' || fact.reply.kind !== 'claimed') return undefined;
      const history = ledger.ofKey(fact.key);
      if (history.claims.length === 0 && !history.wasForgotten) return undefined;
      const cause = causeOf(history, ledger, at);
      if (cause === undefined)
        return `${fact.key} is claimed again by ${fact.life.id}, and nothing explains it`;
      onCause(cause);
      return undefined;
    },
  };
}

function causeOf(history: KeyHistory, ledger: Ledger, at: number): Cause | undefined {
  if (history.wasForgotten) return 'an operator forgot it';
  if (ledger.isAbsent(history, at)) return 'its record expired';
  if (history.settled !== undefined) return undefined;
  if (history.wasReopened) return 'an operator reopened it';
  if (history.owner !== undefined) return whyLapsed(history.owner, ledger.settings, at);
  return causeOfRelease(history.claims.at(-1));
}

function causeOfRelease(last: GrantedClaim | undefined): Cause | undefined {
  if (last?.settlement?.kind !== 'release') return undefined;
  if (!last.settlement.uncounted) return 'it threw';
  if (last.run === undefined) return 'its claim was taken back';
  if (last.runEnd?.how !== 'lost its lease') return 'it was interrupted';
  return last.life.clockChanges.length > 0 ? 'a wall clock was set' : 'its worker stood still';
}

/** Why a lease was not kept. From its last extension on, its owner must have been kept from the next. */
function whyLapsed(owner: GrantedClaim, settings: Settings, at: number): Cause | undefined {
  const { life } = owner;
  const lapse: Interval = { from: owner.heldFrom, to: at };
  if (!life.isAlive) return 'its worker died';
  if (life.standstills.some((one) => isWithin(one, lapse))) return 'its worker stood still';
  if (life.clockChanges.some((time) => isWithin({ from: time, to: time }, lapse)))
    return 'a wall clock was set';
  const leaseMs = owner.leaseEnd - owner.extendedAt;
  if (owner.run === undefined && owner.grantedAt - owner.askedAt > leaseMs)
    return 'its claim landed too late';
  if (life.troubles.some((one) => isWithin(one, lapse))) return 'the store was out of reach';
  return isGivenUp(owner, settings, at) ? 'its transaction was given up' : undefined;
}

/** A call does not wait for a transaction whose handler goes on after its timeout. */
function isGivenUp(
  { run, grantedAt, endedAt = Infinity }: GrantedClaim,
  settings: Settings,
  at: number,
): boolean {
  const { leaseMs, timeoutMs = leaseMs } = settings;
  return run?.isInTransaction === true && Math.min(endedAt, at) - grantedAt >= timeoutMs;
}

function isWithin({ from, to }: Interval, other: Interval): boolean {
  return from <= other.to && to >= other.from;
}
