import type { Rule } from './rule.ts';

export const triedAlone: Rule = {
  name: 'tried-alone',
  promise: 'A message that has failed, or lost its worker, is in no batch: it runs alone.',
  violatedBy(fact) {
    if (fact.type !== 'run' || fact.run.number === 1 || fact.run.together.length === 1) return undefined;
    const { life, message, number } = fact.run;
    return `${life.id} runs ${message.id} with others, in attempt ${number}`;
  },
};
