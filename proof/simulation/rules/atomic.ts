import type { Rule } from './rule.ts';

export const atomic: Rule = {
  name: 'atomic',
  promise: 'What a handler writes in its transaction is committed with its record, or not at all.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'committed') return undefined;
    const { life, run, settles } = fact;
    if (run === undefined || ledger.claimOfRun(run)?.token === settles) return undefined;
    return `${life.id} commits what ${run.message.id} has written, and not its record`;
  },
};
