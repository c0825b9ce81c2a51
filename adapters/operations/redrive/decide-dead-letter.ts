import type { RecordView } from '../record.ts';
import type { KeptDeadLetterReason } from './dead-letter.ts';

/** What is done with a dead letter, or why it is kept. */
export type DeadLetterDecision = 'retry' | 'send' | 'remove' | KeptDeadLetterReason;

/** The one table: what is on record, and what is then done with the dead letter. */
export function decideDeadLetter(record: RecordView | undefined, isOwn: boolean): DeadLetterDecision {
  const phase = record?.phase;
  switch (phase) {
    case undefined:
    case 'expired':
      return 'send';
    case 'failed':
      return 'retry';
    case 'succeeded':
      return isOwn ? 'remove' : 'ambiguous';
    case 'waiting':
      return isRetried(record) ? 'send' : phase;
    case 'running':
    case 'lapsed':
    case 'backing-off':
      return phase;
  }
}

/**
 * Whether it was retried, and has not run since: a redrive that was killed may not have sent its copy.
 *
 * An attempt that ended leaves a failure or a death, and one that was interrupted is not counted. Only a retried
 * record has attempts and neither.
 */
function isRetried(record: RecordView | undefined): boolean {
  return record !== undefined && record.attempts > 0 && record.failures === 0 && record.deaths === 0;
}
