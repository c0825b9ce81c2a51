import type { Rule } from './rule.ts';

export const atomic: Rule = {
  name: 'atomic',
  promise: 'What a handler writes in its transaction is committed with its record, or not at all.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'committed') return undefined;
    const stranger = fact.runs.find((run) => ledger.claimOfRun(run)?.token !== fact.settles);
    if (stranger === undefined) return undefined;
    return `${fact.life.id} commits what ${stranger.message.id} has written, and not its record`;
  },
};
