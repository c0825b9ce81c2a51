import { type Command, Option } from 'commander';
import { readStats, type StatsRow } from '../../operations/index.ts';
import { answer, shared, type SharedOptions } from '../command.ts';
import { duration } from '../duration.ts';
import { tableOf } from '../table.ts';

interface StatsOptions extends SharedOptions {
  readonly scope?: string;
  readonly since: number;
}

const NO_STATS = 'nothing was counted: create handleOnce with stats: true, and wait for a minute';

export function addStats(program: Command): void {
  shared(program.command('stats').description('how often each event happened; --json has each minute'))
    .option('--scope <scope>', 'only this scope')
    .addOption(new Option('--since <time>', 'since then').argParser(duration).default(duration('1h'), '1h'))
    .action(async ({ scope, since, ...options }: StatsOptions) => {
      await answer(options, async (tables) => {
        const rows = await readStats({ ...tables, scope, sinceMs: since });
        return { json: rows, text: rows.length === 0 ? NO_STATS : tableOf(totals(rows, since)) };
      });
    });
}

function totals(rows: readonly StatsRow[], sinceMs: number): Record<string, string>[] {
  const sums = new Map<string, StatsRow>();
  for (const row of rows) {
    const id = JSON.stringify([row.scope, row.event]);
    sums.set(id, { ...row, count: row.count + (sums.get(id)?.count ?? 0) });
  }
  return [...sums.values()].map(({ scope, event, count }) => ({
    scope,
    event,
    count: count.toLocaleString('en-US'),
    'per minute': (count / (sinceMs / 60_000)).toFixed(1),
  }));
}
