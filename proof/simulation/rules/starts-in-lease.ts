import type { Rule } from './rule.ts';

export const startsInLease: Rule = {
  name: 'starts-in-lease',
  promise: 'A handler starts only for a claim whose lease has not lapsed.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'run') return undefined;
    const { run } = fact;
    const claim = ledger.inHandOf(run);
    if (claim === undefined) return `${run.life.id} runs ${run.message.id} without a claim`;
    const lateMs = ledger.byDatabase(at) - claim.leaseEnd;
    if (lateMs < 0 || ledger.seemsKept(claim)) return undefined;
    return `${run.life.id} starts ${claim.key} ${Math.round(lateMs)} ms after its lease has lapsed`;
  },
};
