import type { Command } from 'commander';
import type { TablesOptions } from '../../operations/index.ts';
import type { KeptDeadLetterReason } from '../../operations/redrive/dead-letter.ts';
import type { RedriveReport } from '../../sqs/index.ts';
import { answer, type Answer, print, type SharedOptions, unhurried } from '../command.ts';
import { loadConfig } from '../config.ts';
import { EXIT } from '../errors.ts';
import { createProgress } from '../progress.ts';
import { type AnyDeadLetter, type AnyReport, countsOf, MOST_ROWS, redriveAnswer } from '../redrive-answer.ts';
import { type AnyRedrive, redriveWith } from '../redrive-clients.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

type GivenOptions = SharedOptions &
  Pick<AnyRedrive, 'from' | 'to' | 'scope' | 'limit' | 'perSecond' | 'dryRun' | 'sendUnrecorded'> & {
    readonly key?: readonly string[];
  };

const SEND_UNRECORDED =
  'for a topic: also send dead letters without a record; use it only if no earlier redrive has sent them';

export function addRedrive(program: Command): void {
  const command = program.command('redrive').description('send dead letters back, so that they run again');
  unhurried(command)
    .requiredOption('--from <queue or topic>', 'the URL of the dead-letter queue, or the name of the topic')
    .option(
      '--to <queue or topic>',
      'where they go; for a topic leave it out, or name a retry topic of the group: in other topics a copy is a ' +
        'new message',
    )
    .option('--scope <scope>', 'only dead letters of this scope, and those that name no scope')
    .option('--key <key...>', 'only dead letters with these keys')
    .option('--limit <count>', 'send at most this many', wholeNumber)
    .option('--per-second <count>', 'send at most this many in a second (default: 50)', wholeNumber)
    .option('--send-unrecorded', SEND_UNRECORDED)
    .option('--dry-run', 'only print what it would do')
    .action(async (given: GivenOptions) => {
      await answer(given, (tables) => redrive(given, tables));
    });
}

async function redrive(given: GivenOptions, tables: TablesOptions): Promise<Answer> {
  const { from, to, scope, key: keys, limit, perSecond, dryRun = false, sendUnrecorded } = given;
  const config = await loadConfig(given.config);
  const deadLetters: AnyDeadLetter[] = [];
  const progress = createProgress();
  const counts = { sent: 0, removed: 0, kept: 0 };
  const keptFor: Partial<Record<KeptDeadLetterReason, number>> = {};
  const answerOf = (report: AnyReport) => redriveAnswer(report, deadLetters, !from.includes('://'));
  try {
    const report = await redriveWith(config, {
      ...{ ...tables, from, to, scope, limit, perSecond, dryRun, sendUnrecorded },
      signal: stopSignal(),
      filter: keys && (({ key }) => keys.includes(key)),
      onDeadLetter(deadLetter) {
        if (given.json === true || deadLetters.length < MOST_ROWS) deadLetters.push(deadLetter);
        counts[deadLetter.state] += 1;
        if (deadLetter.state === 'kept') keptFor[deadLetter.reason] = (keptFor[deadLetter.reason] ?? 0) + 1;
        progress.show(countsOf(counts, dryRun));
      },
    });
    return { ...answerOf(report), exitCode: exitCodeOf(report) };
  } catch (error) {
    progress.end();
    if (deadLetters.length > 0) print(given, answerOf({ state: 'failed', dryRun, ...counts, keptFor }));
    throw error;
  } finally {
    progress.end();
  }
}

function exitCodeOf({ state, sent, removed, kept }: RedriveReport): number {
  if (state === 'blocked') return EXIT.found;
  return kept > 0 && sent + removed === 0 ? EXIT.unchanged : EXIT.done;
}
