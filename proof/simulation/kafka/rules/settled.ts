import type { Ledger } from '../../facts/ledger.ts';
import type { Entry } from '../../facts/kafka-logs.ts';

/** Whether an entry of a log may be passed: nothing more is owed to it where it stands. */
export function mayBePassed(ledger: Ledger, entry: Entry): boolean {
  const { message } = entry;
  if (ledger.logs.isHandedOver(entry) || ledger.lettersOf(message) > 0) return true;
  if (message.key === undefined) return false;
  const { succeeded, failed } = ledger.ofKey(message.key);
  const isDropped = failed.has(message.body) && ledger.settings.onFailed === 'acknowledge';
  return succeeded.has(message.body) || isDropped;
}
