import type { Sql } from 'postgres';
import type { Broker, Channel, WorkerKind } from './broker.ts';
import { DOOMED_WORKER, LEAST_ENDED } from './environment.ts';
import type { Patience } from './patience.ts';
import { deliveriesByWorker, isTakenOver, progressOf, uncharged, untilNothingIsMissing } from './progress.ts';
import { say } from './say.ts';
import { tally, type Tally } from './tally.ts';
import { type Order, traffic, waves } from './traffic.ts';
import { startWorkers, type WorkerPool } from './worker-pool.ts';

/** What is sent at first when some workers begin later: the rest is for them too. */
const FIRST_SHARE = 2 / 3;

/** Where a trial takes place. */
export interface Stage {
  readonly sql: Sql;
  readonly channel: Channel;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts worker processes, sends them the orders, kills one of these, and waits until all is done. */
export async function runTrial(
  broker: Broker,
  kind: WorkerKind,
  { sql, channel, environment }: Stage,
  patience: Patience,
): Promise<Tally> {
  const { firstWorkers, lateWorkers, words } = broker;
  const [first, later] = waves(traffic(), lateWorkers.length === 0 ? 1 : FIRST_SHARE);

  async function send(orders: readonly Order[]): Promise<void> {
    await channel.send(orders);
    await sql`insert into messages ${sql(orders.map(({ id }) => ({ order_id: id })))}`;
    patience.progressed();
    say(`${orders.length} messages sent`);
  }

  patience.progressed();
  const workers = await startWorkers(
    kind.file,
    [...firstWorkers, ...lateWorkers],
    environment,
    patience.signal,
  );
  try {
    await begin(workers, firstWorkers, patience);
    say(`${firstWorkers.length} worker processes began, ${kind.atOnce}`);
    await send(first);
    await killInTheMiddle(workers, kind, sql, patience);
    if (lateWorkers.length > 0) {
      await untilTakenOver(sql, patience);
      await begin(workers, lateWorkers, patience);
      say(`worker ${lateWorkers.join(', ')} began too`);
      await send(later);
    }
    const missing = async () => [...(await uncharged(sql)), ...(await channel.undone())];
    await untilNothingIsMissing(missing, 200, patience);
    await workers.stop();
    const result = await tally(sql);
    say(words.disturbed(result.disturbances));
    say(`all is done, after ${result.deliveries} deliveries and ${result.runs} runs of the handler`);
    say(`deliveries by worker: ${await deliveriesByWorker(sql)}`);
    return result;
  } finally {
    await workers.killAll();
  }
}

async function killInTheMiddle(
  workers: WorkerPool,
  { leastOnEachSide }: WorkerKind,
  sql: Sql,
  patience: Patience,
): Promise<void> {
  await untilNothingIsMissing(
    async () => {
      const { ended, running, pastEffects } = await progressOf(sql, DOOMED_WORKER);
      const leastSide = Math.min(pastEffects, running - pastEffects);
      if (ended >= LEAST_ENDED && pastEffects > 0 && leastSide >= leastOnEachSide) return [];
      return [
        `worker ${DOOMED_WORKER} is not in the middle of its work: ${ended} runs ended, ${running} not`,
      ];
    },
    20,
    patience,
  );
  await workers.kill(DOOMED_WORKER);
  const { running, pastEffects } = await progressOf(sql, DOOMED_WORKER);
  say(
    `worker ${DOOMED_WORKER} killed with SIGKILL while ${running} handlers ran, ` +
      `${pastEffects} of them past charge and mail`,
  );
}

async function untilTakenOver(sql: Sql, patience: Patience): Promise<void> {
  await untilNothingIsMissing(
    async () =>
      (await isTakenOver(sql, DOOMED_WORKER)) ? [] : [`no worker has the work of worker ${DOOMED_WORKER}`],
    50,
    patience,
  );
  say(`another has the messages of worker ${DOOMED_WORKER}`);
}

/** One after the other: the last to begin is not disturbed by another's beginning. */
async function begin(pool: WorkerPool, workers: readonly number[], { progressed }: Patience): Promise<void> {
  for (const worker of workers) {
    await pool.begin(worker);
    progressed();
  }
}
