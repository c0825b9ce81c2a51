import type { Rule } from '../../rules/rule.ts';

export const runsCommitted: Rule = {
  name: 'runs-committed',
  promise:
    'A message begins once the group has committed a position of its partition: who takes over begins there.',
  violatedBy(fact, { logs }) {
    if (fact.type !== 'run') return undefined;
    const { message, life } = fact.run;
    const entries = logs.entriesOf(message);
    if (entries.some(({ topic, partition }) => logs.of(topic, partition).committed !== undefined))
      return undefined;
    return `${life.id} begins ${message.id}, and the group has committed nothing of its partition`;
  },
};
