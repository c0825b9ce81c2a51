import type { Entry, LogHistory } from '../../facts/kafka-logs.ts';
import type { Rule } from '../../rules/rule.ts';

export const runsCommitted: Rule = {
  name: 'runs-committed',
  promise:
    'A message begins once the group has committed a position of its partition: who takes over begins there.',
  violatedBy(fact, { logs }) {
    if (fact.type !== 'run') return undefined;
    const { message, life } = fact.run;
    const isSafe = (entry: Entry): boolean => isHeld(logs.of(entry.topic, entry.partition), entry);
    const entries = logs.entriesOf(message);
    // Of another scope: no partition has it.
    if (entries.length === 0 || entries.some(isSafe)) return undefined;
    return `${life.id} begins ${message.id}, and the group has committed nothing of its partition`;
  },
};

/** What retention has deleted cannot be taken over. */
function isHeld({ committed, begin }: LogHistory, { offset }: Entry): boolean {
  return committed !== undefined || offset < begin;
}
