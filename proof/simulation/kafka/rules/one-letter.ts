import type { Rule } from '../../rules/rule.ts';

export const oneLetter: Rule = {
  name: 'one-letter',
  promise:
    'Only who has the partition produces a dead letter: one of a message, and one of each copy, until the group meets again.',
  violatedBy(fact, { logs }) {
    if (fact.type !== 'letter-asked') return undefined;
    const { life, message } = fact;
    if (!logs.hasPlaceOf(life, message))
      return `${life.id} produces a dead letter of ${message.id}, and has not its partition`;
    if (logs.lettersOf(life, message) < logs.entriesOf(message).length) return undefined;
    return `${life.id} produces one more dead letter of ${message.id}`;
  },
};
