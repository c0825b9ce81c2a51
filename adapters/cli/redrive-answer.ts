import type { RedrivenTopicDeadLetter } from '../kafka/index.ts';
import type { RedrivenQueueDeadLetter, RedriveReport } from '../sqs/index.ts';
import type { Answer } from './command.ts';
import { tableOf } from './table.ts';

export type AnyDeadLetter = RedrivenQueueDeadLetter | RedrivenTopicDeadLetter;

/** A report, also of a redrive that an error has ended. */
export type AnyReport = Omit<RedriveReport, 'state'> & { readonly state: RedriveReport['state'] | 'failed' };

/** More would push the sum off the screen, and fill the memory; `--json` has all. */
export const MOST_ROWS = 100;

/** The first dead letters as a table, with the sum of all below. They hold no payload. */
export function redriveAnswer(
  report: AnyReport,
  deadLetters: readonly AnyDeadLetter[],
  isOfTopic: boolean,
): Answer {
  const rows = deadLetters.slice(0, MOST_ROWS).map((deadLetter) => rowOf(deadLetter, report.dryRun));
  const more = report.sent + report.removed + report.kept - rows.length;
  const parts = [
    ...(rows.length === 0 ? [] : [tableOf(rows), '']),
    ...(more > 0 ? [`and ${more} more: --json has all`] : []),
    sumOf(report),
    ...((report.keptFor.ambiguous ?? 0) > 0 && isOfTopic ? [AMBIGUOUS] : []),
  ];
  return { text: parts.join('\n'), json: { ...report, deadLetters } };
}

const AMBIGUOUS =
  'ambiguous: the dead letter has no record, so an earlier redrive may have sent it. --send-unrecorded sends these ' +
  'too; use it only if no redrive of this topic has sent them before';

/** What is said of a dead letter in each state. A dry run has changed nothing. */
function wordsOf(dryRun: boolean): Readonly<Record<AnyDeadLetter['state'], string>> {
  const would = dryRun ? 'would be ' : '';
  return { sent: `${would}sent`, removed: `${would}removed`, kept: 'kept' };
}

/** How many dead letters are in each state. */
export function countsOf(
  { sent, removed, kept }: Pick<RedriveReport, AnyDeadLetter['state']>,
  dryRun: boolean,
): string {
  const words = wordsOf(dryRun);
  return `${sent} ${words.sent}, ${removed} ${words.removed}, ${kept} ${words.kept}`;
}

function rowOf(deadLetter: AnyDeadLetter, dryRun: boolean): Record<string, string> {
  return {
    deadLetter:
      'messageId' in deadLetter ? deadLetter.messageId : `${deadLetter.partition}:${deadLetter.offset}`,
    scope: deadLetter.scope ?? '',
    key: deadLetter.key ?? '',
    state: wordsOf(dryRun)[deadLetter.state],
    reason: deadLetter.state === 'kept' ? deadLetter.reason : '',
  };
}

const ENDS: Readonly<Record<AnyReport['state'], string>> = {
  finished: '',
  stopped: '; stopped: the next call continues from there',
  failed: '; ended by an error: the next call continues from there',
  blocked: '; blocked: there are others that it cannot get now; run it again later',
};

function sumOf(report: AnyReport): string {
  const { state, dryRun, keptFor } = report;
  const reasons = Object.entries(keptFor).map(([reason, count]) => `${count} ${reason}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  return `${dryRun ? 'dry run: ' : ''}${countsOf(report, dryRun)}${why}${ENDS[state]}`;
}
