import { NoServiceError } from '../../test/support/services/service.ts';
import { built, builtBefore } from '../built.ts';
import { comparisonsTo, type Comparison } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { ownContender } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredBoth, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { type Database, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import type { Build } from './build.ts';
import { fifoWorkers } from './fifo-workers.ts';
import { inTransactions } from './in-transactions.ts';
import { strictOrder } from './strict-order.ts';

const IN_FLIGHT = [1, 10, 100, 1_000];

/** This package beside itself at the commit `BENCH_BEFORE`: ratios to anything else move with the disk. */
export const before: Section = ({ postgresUrl, sizes }) => {
  const commit = process.env['BENCH_BEFORE'];
  if (commit === undefined) throw new NoServiceError('set BENCH_BEFORE to the commit to compare with');
  return withDatabase(postgresUrl, async (database) => {
    const now: Build = { name: 'now', schema: 'now', ...built };
    const builds = [now, { name: commit, schema: 'before', ...(await builtBefore(commit)) }];
    const contenders = await Promise.all(builds.map((build) => contender(database, build)));
    for (const one of contenders) await measureFresh(one, { messages: sizes.fill, inFlight: 100 });
    const comparisons: Comparison[] = [];
    for (const inFlight of IN_FLIGHT) {
      await database.sql`vacuum analyze`;
      const ready = await runners(contenders.map(measuredBoth), inFlight, sizes.secondsEach);
      comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), now.name));
    }
    comparisons.push(...(await inTransactions(database, builds, sizes)));
    comparisons.push(...(await strictOrder(database, builds, sizes)));
    comparisons.push(...(await fifoWorkers(database, builds, sizes)));
    return { facts: { rounds: sizes.rounds, before: commit }, comparisons };
  });
};

async function contender({ sql }: Database, { name, schema, core }: Build): Promise<Contender> {
  const work = await createWork(sql, 'empty', name);
  return await ownContender(name, { sql, work, schema, core }, (handleOnce, key, payload) =>
    handleOnce(key, payload, work.run),
  );
}
