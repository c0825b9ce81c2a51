import { type Comparison, comparisonsTo } from '../compare.ts';
import { handleOnceContender, OURS } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredBoth, runners } from '../core/measured.ts';
import { TUTORIAL, tutorialContender } from '../core/tutorial.ts';
import { createWork } from '../core/work.ts';
import { connect, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { selectMs } from './round-trip.ts';

const IN_FLIGHT = [10, 100];

/** A database that is a network away, as most are. */
export const delay: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async (database) => {
    const proxy = startDelayingProxy();
    const sql = connect(await proxy.wayTo(database.url));
    try {
      const contenders = [
        await handleOnceContender(sql, await createWork(database.sql, 'empty', OURS)),
        await tutorialContender(sql, await createWork(database.sql, 'empty', TUTORIAL)),
      ];
      for (const contender of contenders) {
        await measureFresh(contender, { messages: sizes.fill, inFlight: 100 });
      }
      await sql`vacuum analyze`;
      const direct = await selectMs(database.sql);
      const delayed = await selectMs(sql);
      const comparisons: Comparison[] = [];
      for (const inFlight of IN_FLIGHT) {
        const ready = await runners(contenders.map(measuredBoth), inFlight, sizes.secondsEach);
        comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), OURS));
      }
      return {
        facts: {
          rounds: sizes.rounds,
          'SELECT 1 without the delay, ms': direct,
          'SELECT 1 with the delay, ms': delayed,
        },
        comparisons,
      };
    } finally {
      await sql.end();
      proxy.stop();
    }
  });
