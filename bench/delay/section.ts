import type postgres from 'postgres';
import { type Comparison, comparisonsTo } from '../compare.ts';
import { handleOnceContender, OURS } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { measuredBoth, runners } from '../core/measured.ts';
import { TUTORIAL, tutorialContender } from '../core/tutorial.ts';
import { createWork } from '../core/work.ts';
import { connect, withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { spread } from '../statistics.ts';
import { startDelayingProxy } from './delaying-proxy.ts';

const IN_FLIGHT = [10, 100];
/** Of each direction: with what the proxy itself takes, a round trip is a millisecond longer. */
const HOLD_MS = 0.37;
const ROUND_TRIPS = 300;

/** A database that is a network away, as most are. */
export const delay: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async (database) => {
    const url = new URL(database.url);
    const proxy = await startDelayingProxy({ host: url.hostname, port: Number(url.port), holdMs: HOLD_MS });
    url.host = `127.0.0.1:${proxy.port}`;
    const sql = connect(url.href);
    try {
      const contenders = [
        await handleOnceContender(sql, await createWork(database.sql, 'empty', OURS)),
        await tutorialContender(sql, await createWork(database.sql, 'empty', TUTORIAL)),
      ];
      for (const contender of contenders) {
        await measureFresh(contender, { messages: sizes.fill, inFlight: 100 });
      }
      await sql`vacuum analyze`;
      const roundTripMs = {
        direct: await medianRoundTripMs(database.sql),
        delayed: await medianRoundTripMs(sql),
      };
      const comparisons: Comparison[] = [];
      for (const inFlight of IN_FLIGHT) {
        const ready = await runners(contenders.map(measuredBoth), inFlight, sizes.secondsEach);
        comparisons.push(...comparisonsTo({ inFlight }, await interleave(ready, sizes.rounds), OURS));
      }
      return {
        facts: {
          rounds: sizes.rounds,
          'SELECT 1 without the delay, ms': roundTripMs.direct,
          'SELECT 1 with the delay, ms': roundTripMs.delayed,
        },
        comparisons,
      };
    } finally {
      await sql.end();
      proxy.stop();
    }
  });

async function medianRoundTripMs(sql: postgres.Sql): Promise<number> {
  const connection = await sql.reserve();
  try {
    const took: number[] = [];
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
      const startedAt = performance.now();
      await connection`select 1`;
      took.push(performance.now() - startedAt);
    }
    return Number(spread(took).median.toFixed(3));
  } finally {
    connection.release();
  }
}
