import type { Ledger } from '../facts/ledger.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Rule } from './rule.ts';

export const nothingLost: Rule = {
  name: 'nothing-lost',
  promise:
    'A message is acknowledged only after its record is settled, or its copy is with the dead letters.',
  violatedBy(fact, ledger) {
    if (fact.type !== 'acknowledged' || isDoneWith(ledger, fact.message)) return undefined;
    return `${fact.message.id} is acknowledged, and its record is not settled in a way that allows that`;
  },
};

/** Whether its broker may forget it. */
export function isDoneWith(ledger: Ledger, message: PlannedMessage): boolean {
  if (ledger.hasLetter(message)) return true;
  if (message.key === undefined) return false;
  const { succeeded, failed } = ledger.ofKey(message.key);
  const isDropped = failed.has(message.body) && ledger.settings.onFailed === 'acknowledge';
  return succeeded.has(message.body) || isDropped;
}
