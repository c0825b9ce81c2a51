import type { Command } from 'commander';
import { databaseNow } from '../../operations/database-now.ts';
import { lastWalkAt, readStatus } from '../../operations/index.ts';
import { type Answer, answer, shared, type SharedOptions } from '../command.ts';
import { ago } from '../duration.ts';
import { tableOf } from '../table.ts';

const NEVER_WALKED =
  'nothing is counted yet: no walk of maintenance has ended. Run npx handle-once maintain, or call startMaintenance ' +
  'in a worker';

export function addStatus(program: Command): void {
  shared(program.command('status').description('what the last walk of maintenance counted')).action(
    async (options: SharedOptions) => {
      await answer(options, async (tables) => {
        const census = await readStatus(tables);
        const [first] = census;
        const now = await databaseNow(tables);
        if (first === undefined) return withoutCensus(await lastWalkAt(tables), now);
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

/** No walk has ended yet, or the last one found no record. */
function withoutCensus(endedAt: Date | undefined, now: Date): Answer {
  if (endedAt === undefined) return { json: { takenAt: null, census: [] }, text: NEVER_WALKED };
  return {
    json: { takenAt: endedAt, census: [] },
    text:
      `there are no records: the last walk of maintenance, ${ago(endedAt, now)} ago, found none. ` +
      'The next walk counts those that came since: run npx handle-once maintain',
  };
}
