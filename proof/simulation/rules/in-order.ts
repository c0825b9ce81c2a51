import { isDoneWith } from './nothing-lost.ts';
import type { Rule } from './rule.ts';

export const inOrder: Rule = {
  name: 'in-order',
  promise:
    'A message of a group runs only once those sent before it are settled, run before it in its batch, or are moved by the queue.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'run') return undefined;
    const { life, message, together } = fact.run;
    const ahead = together.slice(0, together.indexOf(message));
    const open = ledger
      .beforeInGroup(message)
      .find((before) => !ahead.includes(before) && !isDoneWith(ledger, before));
    if (open === undefined) return undefined;
    return `${life.id} runs ${message.id}, and ${open.id} of its group is not done with`;
  },
};
