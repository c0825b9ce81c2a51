import { setTimeout as sleep } from 'node:timers/promises';
import { startKafka } from '../../../test/support/services/kafka.ts';
import type { Chaos } from '../chaos.ts';
import type { Report } from '../report.ts';
import { until } from '../until.ts';
import { runStorm } from './run-storm.ts';
import type { Storm, StormOptions } from './storm.ts';
import { assignments } from './worker-reports.ts';

const FULL = { steps: 20, mostWorkers: 12 };
const QUICK = { steps: 5, mostWorkers: 4 };
const MOST_ACTS = 4;
/** The share of acts: with it the group grows to its most. */
const JOINING = 0.6;
const PROGRESS = 200;

/** So many messages that some wait together. One that fails has its whole batch run twice. */
const IN_BATCHES = { perSecond: 120, failing: 0.02, handlerMs: [20, 100] } as const;

/** Members of a group join, leave and are killed, several at a time. */
export async function rebalances(
  chaos: Chaos,
  subscription: Pick<StormOptions, 'ordering' | 'fromBeginning' | 'batchSize'>,
): Promise<Report> {
  const kafka = await startKafka();
  const start = subscription.fromBeginning ? 'from the beginning' : 'from the end';
  const isBatched = subscription.batchSize !== undefined;
  try {
    const options: StormOptions = {
      name: `${isBatched ? 'batches' : 'rebalances'}, by ${subscription.ordering}, ${start}`,
      brokers: kafka.url.split(','),
      ...subscription,
      ...{ partitions: 8, keys: 64, perSecond: 60, failing: 0.05, handlerMs: [10, 50] },
      ...{ sessionTimeoutMs: 4_000, leaseMs: 5_000, mayCrash: false },
      ...(isBatched && IN_BATCHES),
    };
    return await runStorm(chaos, options, (storm) => act(storm, chaos.quick ? QUICK : FULL));
  } finally {
    await kafka.stop();
  }
}

async function act(storm: Storm, { steps, mostWorkers }: typeof FULL): Promise<{ steps: number }> {
  const { random, fleet, commits, log } = storm;
  const leaving: Promise<void>[] = [];
  fleet.join();
  fleet.join();
  // A group that begins at the end has to be there before the first message.
  if (!storm.options.fromBeginning) {
    await until('start positions', async () => (await storm.committed()).every((offset) => offset === 0));
  }
  await storm.startLoad();
  for (let step = 1; step <= steps; step += 1) {
    const acts = Array.from({ length: 1 + Math.floor(random() * MOST_ACTS) }, () =>
      change(storm, mostWorkers, leaving),
    );
    log(`step ${step} of ${steps}: ${acts.join(', ')}; ${fleet.alive().length} run`);
    // Half of the steps meet the group while it still rebalances.
    if (random() < 0.5) await sleep(random() * 3_000);
    else await settle(storm);
    await commits.look();
  }
  await Promise.all(leaving);
  return { steps };
}

/** Waits until all have joined, and the group has got on. */
async function settle(storm: Storm): Promise<void> {
  const { fleet } = storm;
  await until('all have joined', () => {
    const assigned = assignments(fleet.reports);
    return fleet.alive().every((worker) => assigned.has(worker));
  });
  await storm.progress(PROGRESS);
}

function change({ random, fleet }: Storm, mostWorkers: number, leaving: Promise<void>[]): string {
  const alive = fleet.alive();
  const one = alive[Math.floor(random() * alive.length)];
  const joins = random() < JOINING && alive.length < mostWorkers;
  const isKilled = random() < 0.5;
  if (one === undefined || joins || alive.length < 2) return `${fleet.join()} joins`;
  leaving.push(isKilled ? fleet.kill(one) : fleet.leave(one));
  return `${one} ${isKilled ? 'is killed' : 'leaves'}`;
}
