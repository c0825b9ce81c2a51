import { type Command, Option } from 'commander';
import { countRecords, listRecords, type RecordFilter, type RecordView } from '../../operations/index.ts';
import { PHASES } from '../../operations/filter.ts';
import { type Answer, answer, shared, type SharedOptions } from '../command.ts';
import { tableOfCounts } from '../counts.ts';
import { momentOf } from '../duration.ts';
import { answerOfPage, NO_RECORDS, printAll } from '../records.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions extends SharedOptions {
  readonly state?: RecordView['state'];
  readonly phase?: RecordView['phase'];
  readonly scope?: string;
  readonly error?: string;
  readonly since: Date;
  readonly until?: Date;
  readonly oldest?: boolean;
  readonly limit: number;
  readonly all?: boolean;
  readonly countBy?: 'error';
}

const STATES: readonly RecordView['state'][] = ['pending', 'succeeded', 'failed'];

export function addList(program: Command): void {
  shared(program.command('list').description('the newest or the oldest records'), ({ all }) => all === true)
    .addOption(new Option('--state <state>', 'only this state').choices(STATES))
    .addOption(new Option('--phase <phase>', 'only this phase').choices(PHASES))
    .option('--scope <scope>', 'only this scope')
    .option('--error <name or code>', 'only this error, by its name or code, and not by its text')
    .addOption(
      new Option('--since <time>', 'first claimed within this time, or since a date: 2026-11-25T14:00:00Z')
        .argParser(momentOf)
        .default(momentOf('24h'), '24h'),
    )
    .addOption(new Option('--until <time>', 'first claimed before this time').argParser(momentOf))
    .option('--oldest', 'the oldest first (default: the newest)')
    .option('--limit <count>', 'at most this many', wholeNumber, 100)
    .addOption(new Option('--all', 'all of them, page by page').conflicts('limit'))
    .addOption(
      new Option('--count-by <what>', 'print counts instead of records: of each name and code of an error')
        .choices(['error'])
        .conflicts(['limit', 'all', 'oldest']),
    )
    .addHelpText(
      'after',
      '\nIt reads what was written since --since; with --all it reads that again for each 10,000 records. In a large' +
        '\ntable whose old records are purged, that is most of the table: run it on a replica.',
    )
    .action(async (given: ListOptions) => {
      const { state, phase, scope, error, since, until } = given;
      await answer(given, async (tables) => {
        const filter = { ...tables, state, phase, scope, error, since, until };
        if (given.countBy !== undefined) return await counted(filter);
        const order = given.oldest === true ? 'oldest' : 'newest';
        if (given.all !== true) {
          return answerOfPage(await listRecords({ ...filter, order, limit: given.limit }), order);
        }
        await printAll({ ...filter, order }, given.json === true);
        return undefined;
      });
    });
}

async function counted(filter: RecordFilter): Promise<Answer> {
  const counts = await countRecords(filter);
  return { json: counts, text: counts.length === 0 ? NO_RECORDS : tableOfCounts(counts, new Date()) };
}
