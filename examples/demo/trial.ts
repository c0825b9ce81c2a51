import type { Sql } from 'postgres';
import {
  CONCURRENCY,
  DOOMED_WORKER,
  FORGETFUL_WORKER,
  WORKERS,
  type WorkerEnvironment,
} from './environment.ts';
import { inProgress, unfinished, untilNothingIsMissing } from './progress.ts';
import { createQueueClient } from './queue-client.ts';
import { say } from './say.ts';
import { tally, type Tally } from './tally.ts';
import { send, traffic } from './traffic.ts';
import { startWorkers, type WorkerPool } from './worker-pool.ts';

/** The kill comes when so many handlers have had their effects and not ended, and as many are before them. */
const LEAST_ON_EACH_SIDE = 3;

/** Where a trial takes place. */
export interface Stage {
  readonly sql: Sql;
  readonly environment: Omit<WorkerEnvironment, 'DEMO_WORKER'>;
}

/** Sends the orders, has worker processes handle them, kills one of these, and waits until all is done. */
export async function runTrial(
  workerFile: string,
  { sql, environment }: Stage,
  signal: AbortSignal,
): Promise<Tally> {
  const client = createQueueClient();
  const queueUrl = environment.QUEUE_URL;
  await send(client, queueUrl, sql, traffic());
  const { messages, orders } = await tally(sql);
  say(`${messages} messages sent: ${orders} orders, ${messages - orders} of them twice`);

  const workers = await startWorkers(workerFile, environment, signal);
  try {
    say(`${WORKERS.length} worker processes started, ${CONCURRENCY} handlers each`);
    await killInTheMiddle(workers, sql, signal);
    await untilNothingIsMissing(() => unfinished(sql, client, queueUrl), 200, signal);
    await workers.stop();
    const result = await tally(sql);
    say(`worker ${FORGETFUL_WORKER} forgot ${result.deletesForgotten} deletes: these messages came again`);
    say(`the queue is empty after ${result.deliveries} deliveries and ${result.runs} runs of the handler`);
    return result;
  } finally {
    await workers.killAll();
    client.destroy();
  }
}

async function killInTheMiddle(workers: WorkerPool, sql: Sql, signal: AbortSignal): Promise<void> {
  await untilNothingIsMissing(
    async () => {
      const { running, pastEffects } = await inProgress(sql, DOOMED_WORKER);
      if (Math.min(pastEffects, running - pastEffects) >= LEAST_ON_EACH_SIDE) return [];
      return [`worker ${DOOMED_WORKER} is not in the middle of enough handlers to be killed`];
    },
    20,
    signal,
  );
  await workers.kill(DOOMED_WORKER);
  const { running, pastEffects } = await inProgress(sql, DOOMED_WORKER);
  say(
    `worker ${DOOMED_WORKER} killed with SIGKILL while ${running} handlers ran, ` +
      `${pastEffects} of them past charge and mail`,
  );
}
