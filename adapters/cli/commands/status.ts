import type { Command } from 'commander';
import { readCensus } from '../../../src/operations.ts';
import { answer, shared, type SharedOptions } from '../command.ts';
import { ago } from '../duration.ts';
import { tableOf } from '../table.ts';

const NO_CENSUS = 'no walk of maintenance has ended yet, or there were no records: run handle-once maintain';

export function addStatus(program: Command): void {
  shared(program.command('status').description('what the last walk of maintenance counted')).action(
    async (options: SharedOptions) => {
      await answer(options, async (tables) => {
        const census = await readCensus(tables);
        const [first] = census;
        if (first === undefined) return { json: { takenAt: null, census }, text: NO_CENSUS };
        const now = new Date();
        const rows = census.map(({ scope, state, records, abandoned, oldestAt }) => ({
          scope,
          state,
          records: records.toLocaleString('en-US'),
          abandoned: abandoned.toLocaleString('en-US'),
          oldest: ago(oldestAt, now),
        }));
        const text = `${tableOf(rows)}\n\ncounted ${ago(first.takenAt, now)} ago`;
        return { json: { takenAt: first.takenAt, census }, text };
      });
    },
  );
}
