import type { BadEnding } from '../../src/history/line.ts';
import type { RecordView } from './record.ts';

interface Ended {
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
    'its handler ended, but its end could not be recorded; after the lease the next delivery runs it again',
};

const OF_GONE = 'it failed permanently; that record has expired or was forgotten';
const RETRIED = 'it failed permanently; retry, redrive or the dashboard has since allowed it to run again';
const SURVIVED =
  'its lease was over: the next delivery ran it again, unless maxDeaths was reached; its worker lived, as its own ' +
  'line says';

/** What an ending means for a second run, by what is known of the message now. */
export function meaningOf(line: Ended, lines: readonly Ended[], record: RecordView | undefined): string {
  const { attempt, ending, worker } = line;
  if (ending === 'failed') {
    if (!isOfLife(line, record)) return OF_GONE;
    if (record?.state !== 'failed' || attempt < record.attempts) return RETRIED;
  }
  if (ending === 'died' && isOfLife(line, record) && outlivedLease(attempt, worker?.id, lines, record))
    return SURVIVED;
  return MEANINGS[ending];
}

/** Whether a line is of this life of the key. Maintenance deletes the others. */
export function isOfLife({ endedAt }: Pick<Ended, 'endedAt'>, record: RecordView | undefined): boolean {
  return record !== undefined && endedAt >= record.createdAt;
}

/** Whether an attempt has a line of its own worker, written after its lease was over. */
export function outlivedLease(
  attempt: number,
  worker: string | undefined,
  lines: readonly Ended[],
  record: RecordView | undefined,
): boolean {
  return lines.some(
    (line) =>
      line.attempt === attempt &&
      line.worker?.id === worker &&
      (line.ending === 'lease-lost' || line.ending === 'unrecorded') &&
      isOfLife(line, record),
  );
}
