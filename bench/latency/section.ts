import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { type Comparison, comparisonsTo, withCosts } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { handleOnceContender, OURS, ownContender } from '../core/handle-once.ts';
import { measureFresh, onceEach } from '../core/measure.ts';
import { measuredFresh, runners } from '../core/measured.ts';
import { TUTORIAL, tutorialContender } from '../core/tutorial.ts';
import { createWork } from '../core/work.ts';
import { costMeter } from '../costs.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import { type Arrivals, startArrivals } from './arrivals.ts';
import { compareLatencies } from './compare-latencies.ts';
import { openLoop } from './open-loop.ts';

const HANDLER = '5 ms of waiting';
const ALONE = 'the handler alone';
const IN_TRANSACTION = 'inTransaction';
/** Of the highest rate: at ease, and almost at the end. */
const SHARES = [0.1, 0.8];
/** Enough for the highest rate of each; more would only wait for the ten connections, some past their leases. */
const IN_FLIGHT = 300;
/** As many times as long as contenders of other sections: a percentile is of many messages. */
const LONGER = 2;

/** What is added to the latency of a handler, by messages that arrive whether there is room for them or not. */
export const latency: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql }) => {
    const contenders = [
      await handleOnceContender(sql, await createWork(sql, HANDLER, OURS)),
      await inTransaction(sql),
      await tutorialContender(sql, await createWork(sql, HANDLER, TUTORIAL)),
    ];
    const alone = await handlerAlone(sql);
    const comparisons = await highestRates(sql, contenders, sizes);
    const highest = new Map(
      comparisons.flatMap((one) =>
        one.contenders.map(
          ({ contender, messagesPerSecond }) => [contender, messagesPerSecond.median] as const,
        ),
      ),
    );
    const arrivals = await startArrivals();
    try {
      for (const [name, most] of highest) {
        for (const share of SHARES) {
          const perSecond = Math.round(share * most);
          const able = contenders.filter((one) => (highest.get(one.name) ?? 0) >= perSecond);
          const setting = { arrivals: `${share * 100} % of the highest rate of ${name}`, perSecond };
          const load = { arrivals, perSecond, messages: messagesAt(perSecond, sizes) };
          await sql`vacuum analyze`;
          comparisons.push(await latenciesAt(setting, [alone, ...able], load, sizes.rounds));
        }
      }
    } finally {
      await arrivals.stop();
    }
    return { facts: { rounds: sizes.rounds, handler: HANDLER }, comparisons };
  });

async function highestRates(
  sql: postgres.Sql,
  contenders: readonly Contender[],
  { fill, rounds, secondsEach }: Sizes,
): Promise<Comparison[]> {
  for (const one of contenders) await measureFresh(one, { messages: fill, inFlight: 100 });
  await sql`vacuum analyze`;
  const ready = await runners(contenders.map(measuredFresh), IN_FLIGHT, secondsEach);
  return comparisonsTo({ inFlight: IN_FLIGHT }, await interleave(ready, rounds), OURS);
}

interface Load {
  readonly arrivals: Arrivals;
  readonly perSecond: number;
  readonly messages: number;
}

async function latenciesAt(
  setting: Comparison['setting'],
  contenders: readonly Contender[],
  { messages, ...load }: Load,
  rounds: number,
): Promise<Comparison> {
  const ready = contenders.map((one) => ({
    name: one.name,
    run: () => {
      const keys = Array.from({ length: messages }, () => randomUUID());
      return onceEach(one, keys, () => openLoop(one, { keys, ...load }));
    },
  }));
  const measured = await interleave(ready, rounds);
  return withCosts(compareLatencies(setting, measured, ALONE), measured, 'fresh');
}

async function handlerAlone(sql: postgres.Sql): Promise<Contender> {
  const work = await createWork(sql, HANDLER, ALONE);
  return {
    name: ALONE,
    work,
    spent: await costMeter(sql),
    async handle() {
      await work.run();
    },
    succeeded: (keys) => Promise.resolve(keys.length),
  };
}

async function inTransaction(sql: postgres.Sql): Promise<Contender> {
  const work = await createWork(sql, HANDLER, IN_TRANSACTION);
  return await ownContender(IN_TRANSACTION, { sql, work, schema: 'one' }, (handleOnce, key, payload) =>
    handleOnce.inTransaction(key, payload, work.run),
  );
}

function messagesAt(perSecond: number, { secondsEach, fewestArrivals }: Sizes): number {
  return Math.max(fewestArrivals, Math.ceil(perSecond * secondsEach * LONGER));
}
