import type { Rule } from '../../rules/rule.ts';

export const oneLetter: Rule = {
  name: 'one-letter',
  promise:
    'Until the group meets again a consumer produces one dead letter of a message, and one of each copy of it.',
  violatedBy(fact, { logs }) {
    if (fact.type !== 'letter-asked') return undefined;
    const { life, message } = fact;
    if (logs.lettersOf(life, message) < logs.entriesOf(message).length) return undefined;
    return `${life.id} produces one more dead letter of ${message.id}`;
  },
};
