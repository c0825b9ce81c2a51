import type { Rule } from './rule.ts';

export const limitsKept: Rule = {
  name: 'limits-kept',
  promise: 'Nothing runs again after maxAttempts failures, or after maxDeaths deaths in a row.',
  violatedBy(fact, ledger, at) {
    if (fact.type !== 'claim' || fact.reply.kind !== 'claimed') return undefined;
    const history = ledger.ofKey(fact.key);
    if (ledger.isAbsent(history, at)) return undefined;
    const { maxAttempts, maxDeaths } = ledger.settingsOf(fact.life);
    const deaths = history.deaths + (history.owner === undefined ? 0 : 1);
    if (history.failures >= maxAttempts)
      return `${fact.key} has failed ${history.failures} times, of ${maxAttempts}`;
    if (history.owner === undefined || deaths < maxDeaths) return undefined;
    return `${fact.key} has died ${deaths} times, of ${maxDeaths}`;
  },
};
