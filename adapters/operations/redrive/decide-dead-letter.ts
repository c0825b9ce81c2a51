import type { RecordView } from '../record.ts';
import type { DeadLetterIdentity, KeptDeadLetterReason } from './dead-letter.ts';

/** What is done with a dead letter, or why it is kept. */
export type DeadLetterDecision = 'retry' | 'send' | 'remove' | KeptDeadLetterReason;

/** The one table: what is on record, and what is then done with the dead letter. */
export function decideDeadLetter(
  record: RecordView | undefined,
  deadLetter: Pick<DeadLetterIdentity, 'isOwn' | 'sentAt' | 'attempts' | 'mayHaveBeenSent'>,
): DeadLetterDecision {
  if (record === undefined || record.phase === 'expired')
    return deadLetter.mayHaveBeenSent === true ? 'ambiguous' : 'send';
  switch (record.phase) {
    case 'failed':
      return 'retry';
    case 'succeeded':
      return deadLetter.isOwn && !isAnothers(record, deadLetter) ? 'remove' : 'ambiguous';
    case 'waiting':
      return isRetried(record) ? 'send' : record.phase;
    case 'running':
    case 'lapsed':
    case 'backing-off':
      return record.phase;
  }
}

/** Of the broker and the database. */
const CLOCKS_APART_MS = 60_000;

/**
 * The record of the dead letter's own message has gone meanwhile, and this one is of another with its key: it is
 * younger, or was not tried since. To succeed, its own was.
 */
function isAnothers(
  record: RecordView,
  { sentAt, attempts = 0 }: Pick<DeadLetterIdentity, 'sentAt' | 'attempts'>,
): boolean {
  if (record.attempts <= attempts) return true;
  return sentAt !== undefined && record.createdAt.getTime() > sentAt.getTime() + CLOCKS_APART_MS;
}

/**
 * Whether it was retried, and has not run since: a redrive that was killed may not have sent its copy.
 *
 * An attempt that ended leaves a failure or a death, and one that was interrupted is not counted. Only a retried
 * record has attempts and neither.
 */
function isRetried({ attempts, failures, deaths }: RecordView): boolean {
  return attempts > 0 && failures === 0 && deaths === 0;
}
