import type { Rule } from './rule.ts';

export const visibilityAboveLease: Rule = {
  name: 'visibility-above-lease',
  promise: 'A message is hidden for longer than a lease: the redelivery after a death can run.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'polled') return undefined;
    const { leaseMs } = ledger.settingsOf(fact.life);
    if (fact.visibilitySeconds * 1_000 > leaseMs) return undefined;
    return `${fact.life.id} hides messages for ${fact.visibilitySeconds} s, and its lease is ${leaseMs} ms`;
  },
};
