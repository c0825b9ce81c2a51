import type { Ledger } from '../facts/ledger.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Rule } from './rule.ts';

export const deadLetters: Rule = {
  name: 'dead-letters',
  promise:
    'A delivery sends at most one dead letter, and only of a message that failed for good or was refused.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'letter') return undefined;
    const { message } = fact;
    if (ledger.lettersOf(message) >= ledger.deliveriesOf(message)) {
      return `${message.id} has more dead letters than deliveries`;
    }
    return isDue(ledger, message) ? undefined : `${message.id} is a dead letter, and has not failed`;
  },
};

function isDue(ledger: Ledger, { key, body }: PlannedMessage): boolean {
  if (key === undefined) return true;
  const { failed, refused } = ledger.ofKey(key);
  return failed.has(body) || refused.has(body);
}
