import { ROUNDING_MS, type Rule } from './rule.ts';

export const backoffKept: Rule = {
  name: 'backoff-kept',
  promise: 'A retry comes no sooner than the backoff, or what the handler asked for.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'claim' || fact.reply.kind !== 'claimed') return undefined;
    const { releasedUntil } = ledger.ofKey(fact.key);
    if (releasedUntil === undefined) return undefined;
    const leftMs = releasedUntil - ledger.byDatabase(at);
    if (leftMs <= ROUNDING_MS) return undefined;
    return `${fact.key} is claimed ${Math.round(leftMs)} ms before its backoff is over`;
  },
};
