import type { Rule } from './rule.ts';

export const inOrder: Rule = {
  name: 'in-order',
  promise: 'A message of a group runs only once those sent before it are acknowledged, or moved by the queue.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'run') return undefined;
    const { life, message } = fact.run;
    const before = ledger.firstOfGroup(message);
    if (before === undefined || before === message) return undefined;
    return `${life.id} runs ${message.id}, and ${before.id} of its group is not done with`;
  },
};
