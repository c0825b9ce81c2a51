import type { Rule } from '../../rules/rule.ts';
import { mayBePassed } from './settled.ts';

export const commitsSettled: Rule = {
  name: 'commits-settled',
  promise:
    'A committed position passes only messages that are settled, are with the dead letters, or wait in a retry topic.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'position-committed') return undefined;
    const { topic, partition, position, life } = fact;
    const owed = ledger.logs.owedBefore(topic, partition, position);
    const passed = owed.find((entry) => !mayBePassed(ledger, entry));
    if (passed === undefined) return undefined;
    return `${life.id} commits ${position} of ${topic}/${partition}, and passes ${passed.message.id} at ${passed.offset}`;
  },
};
