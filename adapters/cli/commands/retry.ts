import { type Command, Option } from 'commander';
import { retryFailed, type RetryReport, retryRecord, type TablesOptions } from '../../operations/index.ts';
import { type Answer, answer, shared, type SharedOptions } from '../command.ts';
import { tableOfCounts } from '../counts.ts';
import { endOf } from '../../operations/retry-failed.ts';
import { momentOf } from '../duration.ts';
import { EXIT, UsageError } from '../errors.ts';
import { NO_RECORD, WHOLE_SCOPE } from '../one-record.ts';
import { createProgress } from '../progress.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

interface ManyOptions {
  readonly scope?: string;
  readonly error?: string;
  readonly since: Date;
  readonly until?: Date;
  readonly confirm?: number;
}

type RetryOptions = ManyOptions & SharedOptions;

const NEXT = 'nothing runs until the broker or the sender delivers the message again';
const BY_NAME_OR_CODE = ': --error matches the name or the code of an error, and not its text';

export function addRetry(program: Command): void {
  shared(
    program.command('retry [key]').description('allow one failed record, or many, to run again'),
    (_, [key]) => key === undefined,
  )
    .option('--scope <scope>', `${WHOLE_SCOPE}; required with a key`)
    .option(
      '--error <name or code>',
      'without a key: only this error, by its name or code, and not by its text',
    )
    .addOption(
      new Option(
        '--since <time>',
        'without a key: first claimed within this time, or since a date: 2026-11-25T14:00:00Z',
      )
        .argParser(momentOf)
        .default(momentOf('24h'), '24h'),
    )
    .addOption(
      new Option('--until <time>', 'without a key: first claimed before this time').argParser(momentOf),
    )
    .option('--confirm <count>', 'without a key: retry them if exactly this many match', wholeNumber)
    .addHelpText(
      'after',
      '\nWithout a key it counts the failed records; it retries them only with --confirm. It reads what was written' +
        '\nsince --since, which in a large table whose old records are purged is most of the table.',
    )
    .action(async (key: string | undefined, options: RetryOptions, command: Command) => {
      const since = command.getOptionValueSource('since') === 'cli';
      if (key !== undefined) refuseOfMany({ ...options, since });
      await answer(options, (tables) =>
        key === undefined ? retryMany(options, tables) : retryOne(key, options, tables),
      );
    });
}

function refuseOfMany(given: Pick<RetryOptions, 'error' | 'until' | 'confirm'> & { since: boolean }): void {
  const { error, since, until, confirm } = given;
  if (!since && [error, until, confirm].every((option) => option === undefined)) return;
  throw new UsageError(
    '--error, --since, --until and --confirm are for many records: leave out either them or the key',
  );
}

async function retryOne(key: string, given: RetryOptions, tables: TablesOptions): Promise<Answer> {
  const { scope } = given;
  if (scope === undefined)
    throw new UsageError('--scope is missing: each scope has its own record for a key');
  const retried = await retryRecord({ ...tables, scope, key });
  if (retried.state === 'retried') return { json: retried, text: `retried; ${NEXT}` };
  const text =
    retried.found === 'absent'
      ? NO_RECORD
      : `unchanged: only a failed record can be retried, and this one is ${retried.found}`;
  return { json: retried, text, exitCode: EXIT.unchanged };
}

async function retryMany(given: RetryOptions, tables: TablesOptions): Promise<Answer> {
  const { scope, error, since, until, confirm } = given;
  const now = new Date();
  const progress = createProgress();
  let count = 0;
  try {
    const report = await retryFailed({
      ...{ ...tables, scope, error, since, until, confirm },
      signal: stopSignal(),
      onRetried() {
        count += 1;
        progress.show(`${count} of ${confirm} retried`);
      },
    });
    const text = textOf(report, given, now);
    return { json: report, text, exitCode: exitCodeOf(report, confirm) };
  } catch (error) {
    if (count > 0) {
      progress.end();
      process.stderr.write(`${count} of ${confirm} were retried; the next call counts the others\n`);
    }
    throw error;
  } finally {
    progress.end();
  }
}

function textOf(report: RetryReport, given: ManyOptions, now: Date): string {
  const { error, since, until, confirm } = given;
  const { state, matching } = report;
  if (state === 'unconfirmed') {
    if (matching === 0) return `no failed record was found${error === undefined ? '' : BY_NAME_OR_CODE}`;
    const other = confirm === undefined ? '' : `, and --confirm says ${confirm}`;
    // Moments, since a time such as 24h moves on between the two calls.
    return (
      `${tableOfCounts(report.counts, now)}\n\nfailed records found: ${matching}${other}. Nothing was changed. To let ` +
      `them run again, add:\n--since ${since.toISOString()} --until ${(until ?? endOf(report.counts)).toISOString()} --confirm ${matching}`
    );
  }
  const { retried } = report;
  if (state === 'stopped')
    return `stopped: ${retried} of ${matching} retried; the next call counts the others`;
  const changed = retried === matching ? '' : `, ${matching - retried} had changed meanwhile`;
  return `${retried} retried${changed}; ${NEXT}`;
}

function exitCodeOf(report: RetryReport, confirm: number | undefined): number {
  if (report.state !== 'unconfirmed') return EXIT.done;
  return report.matching > 0 && confirm === undefined ? EXIT.done : EXIT.unchanged;
}
