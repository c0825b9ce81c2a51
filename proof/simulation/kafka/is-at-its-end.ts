import type { Ledger } from '../facts/ledger.ts';
import type { Entry, LogHistory } from '../facts/kafka-logs.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import { mayBePassed } from './rules/settled.ts';

/** Whether nothing more will become of a message, nor of its copies. `most`: records of one fetch. */
export function isAtItsEnd(ledger: Ledger, most: number, message: PlannedMessage): boolean {
  return ledger.logs.entriesOf(message).every((entry) => isPassed(ledger, most, entry));
}

function isPassed(ledger: Ledger, most: number, entry: Entry): boolean {
  const log = ledger.logs.of(entry.topic, entry.partition);
  const { begin, owedFrom, reached } = log;
  if (entry.offset < begin || (owedFrom !== undefined && entry.offset < owedFrom)) return true;
  return reached > entry.offset || isBehindStuck(ledger, most, log, entry);
}

/** What is stuck stays in its place, without a dead letter. What is of its lane or of a later fetch waits behind it. */
function isBehindStuck(ledger: Ledger, most: number, log: LogHistory, entry: Entry): boolean {
  const { entries, begin } = log;
  const upTo = entries.filter(({ offset }) => offset >= begin && offset <= entry.offset);
  const stuck = upTo.filter((one) => isStuck(ledger, one));
  const [first] = stuck;
  if (first === undefined) return false;
  const isOfLane = stuck.some((one) => one === entry || (one.lane !== undefined && one.lane === entry.lane));
  const isOfLaterFetch = upTo.length - upTo.indexOf(first) > most;
  return isOfLane || isOfLaterFetch || mayBePassed(ledger, entry);
}

/** Where there are dead letters it is the user's function for keys that has to work once: docs/kafka.md. */
function isStuck({ settings, logs }: Ledger, entry: Entry): boolean {
  return entry.message.key === undefined && (settings.onFailed === 'acknowledge' || logs.waitsForKeys(entry));
}
