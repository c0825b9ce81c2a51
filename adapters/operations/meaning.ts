import type { BadEnding } from '../../src/history/line.ts';
import type { RecordView } from './record.ts';

interface Ended {
  readonly attempt: number;
  readonly ending: BadEnding;
  readonly endedAt: Date;
}

const MEANINGS: Readonly<Record<BadEnding, string>> = {
  released: 'its handler threw; the next attempt repeats what it had done, except for its steps',
  interrupted:
    'it was stopped (by a shutdown, a rebalance, another message of its batch or a clock change), or its ' +
    'transaction did not commit; the next delivery runs it again',
  failed: 'it failed permanently; later deliveries are answered from the record',
  died:
    'its lease ended: its process crashed, was killed or frozen, or lost the database, or the attempt went on past ' +
    'its lease or its time, and has another line; the next delivery ran it again, unless maxDeaths was reached',
  'lease-lost':
    'its lease ended before its handler, or its record was forgotten: the next delivery runs it again, perhaps at ' +
    'the same time, unless maxDeaths is reached',
  unrecorded:
    'its outcome was not known when its call ended: the database did not answer, or its transaction had not ended in ' +
    'time; unless it was recorded all the same, the next delivery runs it again, perhaps at the same time',
};

const OF_GONE = 'it failed permanently; that record has expired or was forgotten';
const RETRIED = 'it failed permanently; retry, redrive or the dashboard has since allowed it to run again';

/** What an ending means for a second run, by what is known of the message now. */
export function meaningOf(line: Ended, record: RecordView | undefined): string {
  const { attempt, ending } = line;
  if (ending !== 'failed') return MEANINGS[ending];
  if (record === undefined || record.phase === 'expired' || !isOfLife(line, record)) return OF_GONE;
  return record.state !== 'failed' || attempt < record.attempts ? RETRIED : MEANINGS.failed;
}

/** Whether a line is of this life of the key. Maintenance deletes the others. */
export function isOfLife({ endedAt }: Pick<Ended, 'endedAt'>, record: RecordView | undefined): boolean {
  return record !== undefined && endedAt >= record.createdAt;
}
