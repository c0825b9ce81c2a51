import type { BadEnding } from '../../src/history/line.ts';
import type { RecordView } from './record.ts';

export interface Ended {
  readonly attempt: number;
  readonly ending: BadEnding;
  readonly endedAt: Date;
  readonly worker?: { readonly id: string };
}

const MEANINGS: Readonly<Record<BadEnding, string>> = {
  released: 'its handler threw; the next attempt repeats what it had done, except for its steps',
  interrupted:
    'it was stopped (by a shutdown, a rebalance, another message of its batch or a clock change), or its ' +
    'transaction did not commit; the next delivery runs it again',
  failed: 'it failed permanently; later deliveries are answered from the record',
  died:
    'by then its worker had given no sign of life for a lease: it crashed, was killed or frozen, or lost the ' +
    'database; the next delivery ran it again, unless maxDeaths was reached',
  'lease-lost':
    'its lease ended before its handler, or its record was forgotten: the next delivery runs it again, perhaps at ' +
    'the same time, unless maxDeaths is reached',
  unrecorded:
    'its outcome was not on record when its call ended: the database did not answer, or its transaction outlived its ' +
    'time; unless it is recorded later, the next delivery runs it again, perhaps at the same time',
};

const OF_GONE = 'it failed permanently; that record has expired or was forgotten';
const RETRIED = 'it failed permanently; retry, redrive or the dashboard has since allowed it to run again';
const RECORDED = 'its outcome was not on record when its call ended, and was recorded after all';
const SURVIVED =
  'its lease was over: the next delivery ran it again, unless maxDeaths was reached; its worker lived, as its own ' +
  'line says';

/** What an ending means for a second run, by what is known of the message now. */
export function meaningOf(line: Ended, lines: readonly Ended[], record: RecordView | undefined): string {
  const { attempt, ending, worker, endedAt } = line;
  const isGone = record === undefined || !isOfLife(line, record);
  if (ending === 'failed' && (isGone || record.phase === 'expired')) return OF_GONE;
  if (isGone) return MEANINGS[ending];
  if (ending === 'failed' && (record.state !== 'failed' || attempt < record.attempts)) return RETRIED;
  if (ending === 'died' && outlivedLease(attempt, worker?.id, endedAt, lines, record)) return SURVIVED;
  if (ending === 'unrecorded' && isEndOf(line, record)) return RECORDED;
  return MEANINGS[ending];
}

/** Whether the record has the outcome of this run. */
function isEndOf(
  { attempt, worker }: Ended,
  { attempts, worker: last, state, failedReason }: RecordView,
): boolean {
  const isRecorded = state !== 'pending' && failedReason !== 'deaths-exhausted';
  return isRecorded && attempt === attempts && worker?.id === last;
}

/** Whether a line is of this life of the key. Maintenance deletes the others. */
export function isOfLife({ endedAt }: Pick<Ended, 'endedAt'>, record: RecordView | undefined): boolean {
  return record !== undefined && endedAt >= record.createdAt;
}

/**
 * Whether an attempt has a line of its own worker, written after its lease was over, which another found later. A lease
 * cannot end in the first half of that time: such a line is of a run that was forgotten.
 */
export function outlivedLease(
  attempt: number,
  worker: string | undefined,
  foundAt: Date,
  lines: readonly Ended[],
  { createdAt }: RecordView,
): boolean {
  const half = (createdAt.getTime() + foundAt.getTime()) / 2;
  return lines.some(
    (line) =>
      line.ending === 'lease-lost' &&
      line.attempt === attempt &&
      line.worker?.id === worker &&
      line.endedAt.getTime() > half,
  );
}
