import type { Rule } from './rule.ts';

export const samePayload: Rule = {
  name: 'same-payload',
  promise: 'A message with the key of a record and another payload runs nothing.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'run') return undefined;
    const { message } = fact.run;
    const claim = ledger.inHandOf(fact.run);
    const { claims } = ledger.ofKey(message.key ?? '');
    // Of a record that was forgotten meanwhile nothing is known any more.
    if (claim === undefined || !claims.includes(claim)) return undefined;
    const first = claims.find(({ run }) => run !== undefined) ?? claims[0];
    if (first === undefined || first === claim || ledger.bodyOf(first) === message.body) return undefined;
    return `${message.id} runs, and the record of its key is of another payload`;
  },
};
