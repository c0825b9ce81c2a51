import { type Comparison, comparisonsTo, type Measurements } from '../compare.ts';
import { handleOnceContender, OURS } from '../core/handle-once.ts';
import { measureFresh } from '../core/measure.ts';
import { createWork } from '../core/work.ts';
import { costKind } from '../costs.ts';
import { connect, withDatabase } from '../database.ts';
import { interleave, type Runner } from '../interleave.ts';
import type { Figures, Section } from '../section.ts';
import { QUEUE, queueContender } from './queue.ts';

const IN_FLIGHT = 100;
/** As many times the rounds: what piles up takes a while to show. */
const HELD_ROUNDS = 2;

/** What a message costs the server in one window after the other: free, then beside a transaction that stays open. */
export const horizon: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql, url }) => {
    const contenders = [
      await handleOnceContender(sql, await createWork(sql, 'empty', OURS)),
      await queueContender(sql, await createWork(sql, 'empty', QUEUE)),
    ];
    const runnersOf = (messages: number): Runner[] =>
      contenders.map((one) => ({
        name: one.name,
        run: () => measureFresh(one, { messages, inFlight: IN_FLIGHT }),
      }));
    await interleave(runnersOf(sizes.fill), 1);
    await sql`vacuum analyze`;
    const windows = runnersOf(sizes.windowMessages);
    const free = await interleave(windows, sizes.rounds);
    const held = await whileHeld(url, () => interleave(windows, sizes.rounds * HELD_ROUNDS));
    return {
      facts: {
        'messages in a window': sizes.windowMessages,
        ...inWindows('free', free),
        ...inWindows('held', held),
      },
      comparisons: [...comparisonOf('free', free), ...comparisonOf('held', held)],
    };
  });

/** Beside a transaction whose snapshot keeps vacuum from all rows that die after it was taken. */
async function whileHeld<T>(url: string, run: () => Promise<T>): Promise<T> {
  const holder = connect(url);
  try {
    return (await holder.begin('isolation level repeatable read', async (tx) => {
      await tx`select`;
      return await run();
    })) as T;
  } finally {
    await holder.end();
  }
}

/** The server's CPU for a message in each window, and how many times ours the queue's is. */
function inWindows(horizon: string, measured: Measurements): Figures['facts'] {
  const ofServer = (name: string): readonly number[] =>
    measured.get(costKind('fresh', 'server'))?.find(({ contender }) => contender === name)?.rates ?? [];
  const [ours, queue] = [ofServer(OURS), ofServer(QUEUE)];
  return {
    [`server CPU in us, ${OURS}, ${horizon}`]: ours.map(Math.round),
    [`server CPU in us, ${QUEUE}, ${horizon}`]: queue.map(Math.round),
    [`times ours, ${horizon}`]: queue.map((each, window) =>
      Number((each / (ours[window] ?? Number.NaN)).toFixed(1)),
    ),
  };
}

function comparisonOf(horizon: string, measured: Measurements): Comparison[] {
  return comparisonsTo({ horizon, inFlight: IN_FLIGHT }, measured, OURS);
}
