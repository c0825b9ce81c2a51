import type { ClaimEffect, Fact, SettleEffect } from '../facts/facts.ts';
import type { Ledger } from '../facts/ledger.ts';
import type { Rule } from './rule.ts';

export const attemptsCounted: Rule = {
  name: 'attempts-counted',
  promise: 'A record counts each attempt once, and none that never started or was interrupted.',
  violatedBy(fact, ledger, at) {
    const expected = expectedAttempts(fact, ledger, at);
    if (expected === undefined) return undefined;
    const { found, attempts, key } = expected;
    return found === attempts
      ? undefined
      : `${key} has ${found ?? 'no'} attempts, and should have ${attempts}`;
  },
};

interface Expected {
  readonly key: string;
  readonly attempts: number;
  readonly found: number | undefined;
}

function expectedAttempts(fact: Fact, ledger: Ledger, at: number): Expected | undefined {
  if (fact.type === 'claim') return ofClaim(fact, ledger, at);
  if (fact.type === 'settle') return ofSettle(fact, ledger);
  if (fact.type !== 'run') return undefined;
  const claim = ledger.inHandOf(fact.run);
  return claim && { key: claim.key, attempts: claim.number, found: fact.run.number };
}

function ofClaim({ key, reply, after }: ClaimEffect, ledger: Ledger, at: number): Expected | undefined {
  if (reply.kind !== 'claimed') return undefined;
  const history = ledger.ofKey(key);
  const attempts = ledger.isAbsent(history, at) ? 1 : history.attempts + 1;
  return { key, attempts, found: after?.attempts };
}

function ofSettle(
  { key, token, settlement, before, after }: SettleEffect,
  ledger: Ledger,
): Expected | undefined {
  const { owner, attempts } = ledger.ofKey(key);
  if (owner?.token !== token || before?.owned !== true) return undefined;
  const isUncounted = settlement.kind === 'release' && settlement.countsAs !== 'failure';
  return { key, attempts: attempts - (isUncounted ? 1 : 0), found: after?.attempts };
}
