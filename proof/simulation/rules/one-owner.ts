import { ROUNDING_MS, type Rule } from './rule.ts';

export const oneOwner: Rule = {
  name: 'one-owner',
  promise: 'At most one caller holds an unlapsed lease on a key.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'claim' || fact.reply.kind !== 'claimed') return undefined;
    const { owner } = ledger.ofKey(fact.key);
    if (owner === undefined) return undefined;
    const leftMs = owner.leaseEnd - ledger.byDatabase(at);
    if (leftMs <= ROUNDING_MS) return undefined;
    return `${fact.life.id} owns ${fact.key}, and the lease of ${owner.life.id} has ${Math.round(leftMs)} ms left`;
  },
};
