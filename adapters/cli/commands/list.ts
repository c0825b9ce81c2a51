import { type Command, Option } from 'commander';
import { listRecords, type RecordPhase, type RecordView } from '../../../src/operations.ts';
import { answer, shared, type SharedOptions } from '../command.ts';
import { ago, duration } from '../duration.ts';
import { tableOf } from '../table.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions extends SharedOptions {
  readonly state?: RecordView['state'];
  readonly phase?: RecordPhase;
  readonly scope?: string;
  readonly since: number;
  readonly oldest?: boolean;
  readonly limit: number;
}

const STATES: readonly RecordView['state'][] = ['pending', 'succeeded', 'failed'];
const PHASES: readonly RecordPhase[] = [
  'running',
  'lapsed',
  'backing-off',
  'waiting',
  'succeeded',
  'failed',
  'expired',
];

export function addList(program: Command): void {
  shared(program.command('list').description('the newest or the oldest records'))
    .addOption(new Option('--state <state>', 'of this state alone').choices(STATES))
    .addOption(new Option('--phase <phase>', 'of this phase alone').choices(PHASES))
    .option('--scope <scope>', 'of this scope alone')
    .addOption(
      new Option('--since <time>', 'first claimed since').argParser(duration).default(duration('24h'), '24h'),
    )
    .option('--oldest', 'the oldest first (default: the newest)')
    .option('--limit <count>', 'at most this many', wholeNumber, 100)
    .action(async ({ state, phase, scope, since, oldest, limit, ...options }: ListOptions) => {
      const order = oldest === true ? 'oldest' : 'newest';
      await answer(options, async (tables) => {
        const records = await listRecords({ ...tables, state, phase, scope, sinceMs: since, order, limit });
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
