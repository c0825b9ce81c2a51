import type { Settlement } from '../../../src/store/store.ts';
import type { ClaimEffect, Fact, RunEnd, SettleEffect } from '../facts/facts.ts';
import type { GrantedClaim, Ledger } from '../facts/ledger.ts';
import type { Rule } from './rule.ts';

export const truthful: Rule = {
  name: 'truthful',
  promise:
    'What is put on record is how the handler ended, with what it returned, and a replay tells just that.',
  violatedBy(fact, ledger) {
    if (fact.type === 'settle') return ofSettle(fact, ledger);
    if (fact.type === 'claim') return ofReplay(fact, ledger);
    return fact.type === 'told' ? ofTold(fact, ledger) : undefined;
  },
};

function ofSettle({ key, token, settlement, before, after }: SettleEffect, ledger: Ledger) {
  if (before?.owned !== true || after?.owned !== false) return undefined;
  const claim = ledger.claimOf(token);
  if (claim === undefined || isTrue(settlement, claim)) return undefined;
  const how = claim.runEnd?.how ?? (claim.run === undefined ? 'never started' : 'still runs');
  return `${key} is put on record as ${textOf(settlement)}, and its handler ${how}`;
}

function ofReplay({ key, reply }: ClaimEffect, ledger: Ledger): string | undefined {
  if (reply.kind !== 'succeeded') return undefined;
  const { settled } = ledger.ofKey(key);
  const found = textIn(reply.result);
  if (settled?.result === found) return undefined;
  return `a replay of ${key} has ${found ?? 'no result'}, and its handler returned ${settled?.result ?? 'none'}`;
}

/** It may be told when its record is another by then. */
function ofTold(
  { life, message, result }: Extract<Fact, { type: 'told' }>,
  ledger: Ledger,
): string | undefined {
  if (ledger.ofKey(message.key ?? '').results.has(result)) return undefined;
  return `${life.id} is told that ${message.id} returned ${result ?? 'nothing'}, and no handler of it has`;
}

/** What a failure can be, when it is not the last one. */
const COUNTED: ReadonlySet<RunEnd['how']> = new Set(['threw', 'gave up', 'undone'] as const);

function isTrue(settlement: Settlement, { run, runEnd: end }: GrantedClaim): boolean {
  switch (settlement.kind) {
    case 'succeed':
      return (
        end?.how === 'returned' && textIn(settlement.result) === (end.canBeStored ? end.result : undefined)
      );
    case 'fail':
      return end !== undefined && end.how !== 'returned' && end.how !== 'lost its lease';
    case 'release':
      if (settlement.countsAs === 'failure') return end !== undefined && COUNTED.has(end.how);
      if (settlement.countsAs === 'deferral') return end?.how === 'threw' && end.isDeferral;
      return run === undefined || (end !== undefined && end.how !== 'returned');
  }
}

function textOf(settlement: Settlement): string {
  return settlement.kind === 'succeed'
    ? `succeeded with ${settlement.result ?? 'no result'}`
    : settlement.kind;
}

/** The text that a handler has returned: the JSON of it, or of a response whose body it is. */
function textIn(result: string | null): string | undefined {
  const value = JSON.parse(result ?? 'null') as string | { readonly text?: string } | null;
  return typeof value === 'string' ? value : value?.text;
}
