import { type Command, Option } from 'commander';
import { listRecords, type RecordView } from '../../../src/operations.ts';
import { answer, shared, type SharedOptions } from '../command.ts';
import { ago, duration } from '../duration.ts';
import { tableOf } from '../table.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions extends SharedOptions {
  readonly state?: RecordView['state'];
  readonly scope?: string;
  readonly since: number;
  readonly limit: number;
}

export function addList(program: Command): void {
  const states = ['pending', 'succeeded', 'failed'];
  shared(program.command('list').description('the newest records'))
    .addOption(new Option('--state <state>', 'of this state alone').choices(states))
    .option('--scope <scope>', 'of this scope alone')
    .addOption(
      new Option('--since <time>', 'first claimed since').argParser(duration).default(duration('24h'), '24h'),
    )
    .option('--limit <count>', 'at most this many', wholeNumber, 100)
    .action(async ({ state, scope, since, limit, ...options }: ListOptions) => {
      await answer(options, async (tables) => {
        const records = await listRecords({ ...tables, state, scope, sinceMs: since, limit });
        const text = records.length === 0 ? 'no records' : tableOf(rowsOf(records, new Date()));
        return { json: records, text };
      });
    });
}

function rowsOf(records: readonly RecordView[], now: Date): Record<string, string>[] {
  return records.map(({ scope, key, phase, attempts, createdAt, beganAt, error }) => ({
    scope,
    key,
    phase,
    attempts: String(attempts),
    age: ago(createdAt, now),
    began: ago(beganAt, now),
    error: error === undefined ? '' : `${error.name}: ${error.message}`.slice(0, 80).replaceAll(/\s+/g, ' '),
  }));
}
