import type { MemoryRecord } from '../../../testing/memory/memory.ts';
import type { Rule } from './rule.ts';

export const fenced: Rule = {
  name: 'fenced',
  promise: 'A write after the claim changes the record for the token that owns it, and for no other.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'settle' && fact.type !== 'extend' && fact.type !== 'keep') return undefined;
    if (!isChanged(fact.before, fact.after)) return undefined;
    if (ledger.ofKey(fact.key).owner?.token === fact.token) return undefined;
    return `${fact.life.id} changes the record of ${fact.key} by a ${fact.type}, and does not own it`;
  },
};

/** Whether two views of a record differ. */
export function isChanged(before: MemoryRecord | undefined, after: MemoryRecord | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return (Object.keys(before) as (keyof MemoryRecord)[]).some((column) => before[column] !== after[column]);
}
