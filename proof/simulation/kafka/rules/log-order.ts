import type { Rule } from '../../rules/rule.ts';
import { mayBePassed } from './settled.ts';

export const logOrder: Rule = {
  name: 'log-order',
  promise:
    'A message begins when those before it are settled, or run before it in its batch: of its partition, or of its key, as was asked for.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'run') return undefined;
    const { message, life, together } = fact.run;
    const entry = ledger.logs.originalOf(message);
    if (entry?.lane === undefined) return undefined;
    const { topic, partition, offset, lane } = entry;
    const ahead = together.slice(0, together.indexOf(message));
    const open = ledger.logs
      .owedBefore(topic, partition, offset)
      .find(
        (before) => before.lane === lane && !ahead.includes(before.message) && !mayBePassed(ledger, before),
      );
    return open && `${life.id} begins ${message.id}, and ${open.message.id} before it is not settled`;
  },
};
