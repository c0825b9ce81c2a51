import { isChanged } from './fenced.ts';
import { ROUNDING_MS, type Rule } from './rule.ts';

export const settledStays: Rule = {
  name: 'settled-stays',
  promise: 'A succeeded or failed record does not change before it expires.',
  violatedBy(fact, ledger, at) {
    if (!('before' in fact)) return undefined;
    const { settled } = ledger.ofKey(fact.key);
    if (settled === undefined || !isChanged(fact.before, fact.after)) return undefined;
    const leftMs = settled.until - ledger.byDatabase(at);
    if (leftMs <= ROUNDING_MS) return undefined;
    return `a ${fact.type} of ${fact.life.id} changes ${fact.key}, which has ${settled.state} and expires in ${Math.round(leftMs)} ms`;
  },
};
