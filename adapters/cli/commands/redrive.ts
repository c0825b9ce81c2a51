import type { Command } from 'commander';
import type { TablesOptions } from '../../operations/index.ts';
import type { RedriveOptions, RedriveReport } from '../../sqs/index.ts';
import { answer, type Answer, type SharedOptions, unhurried } from '../command.ts';
import { type ConfigModule, loadConfig } from '../config.ts';
import { EXIT, UsageError } from '../errors.ts';
import { createProgress } from '../progress.ts';
import { type AnyLetter, MOST_ROWS, redriveAnswer } from '../redrive-answer.ts';
import { redriveQueueWith, redriveTopicWith } from '../redrive-clients.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

interface GivenOptions extends SharedOptions {
  readonly from: string;
  readonly to?: string;
  readonly scope?: string;
  readonly key?: readonly string[];
  readonly limit?: number;
  readonly perSecond?: number;
  readonly dryRun?: boolean;
}

export function addRedrive(program: Command): void {
  const command = program.command('redrive').description('send dead letters back, so that they run again');
  unhurried(command)
    .requiredOption('--from <queue or topic>', 'the URL of the dead-letter queue, or the name of the topic')
    .option('--to <queue or topic>', 'where they go; a topic can be left out: each letter names its own')
    .option('--scope <scope>', 'letters of this scope alone, and those that name none')
    .option('--key <key...>', 'letters of these keys alone')
    .option('--limit <count>', 'send at most this many', wholeNumber)
    .option('--per-second <count>', 'send at most this many in a second (default: 50)', wholeNumber)
    .option('--dry-run', 'only say what it would do')
    .action(async (given: GivenOptions) => {
      await answer(given, (tables) => redrive(given, tables));
    });
}

async function redrive(given: GivenOptions, tables: TablesOptions): Promise<Answer> {
  const config = await loadConfig(given.config);
  const letters: AnyLetter[] = [];
  const progress = createProgress();
  const counts = { sent: 0, removed: 0, kept: 0 };
  try {
    const report = await run(given, config, {
      ...tables,
      scope: given.scope,
      limit: given.limit,
      perSecond: given.perSecond,
      dryRun: given.dryRun,
      signal: stopSignal(),
      filter: filterOf(given.key),
      onLetter(letter: AnyLetter) {
        if (given.json === true || letters.length < MOST_ROWS) letters.push(letter);
        counts[letter.state] += 1;
        progress.show(`${counts.sent} sent, ${counts.removed} removed, ${counts.kept} kept`);
      },
    });
    return { ...redriveAnswer(report, letters), exitCode: exitCodeOf(report) };
  } finally {
    progress.end();
  }
}

type AnyRedrive = RedriveOptions<{ readonly key: string }, AnyLetter>;

async function run(
  { from, to }: GivenOptions,
  config: ConfigModule,
  common: AnyRedrive,
): Promise<RedriveReport> {
  if (!from.includes('://')) return await redriveTopicWith(config, { ...common, from, to });
  if (to === undefined)
    throw new UsageError('--to is missing: the URL of the queue that the letters go back to');
  return await redriveQueueWith(config, { ...common, from, to });
}

function filterOf(keys: readonly string[] | undefined): AnyRedrive['filter'] {
  return keys === undefined ? undefined : ({ key }) => keys.includes(key);
}

function exitCodeOf({ sent, removed, kept }: RedriveReport): number {
  return kept > 0 && sent + removed === 0 ? EXIT.unchanged : EXIT.done;
}
