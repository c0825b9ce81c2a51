import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Work } from '../core/work.ts';
import { type CostMeter, costOfEach, costsAsRates } from '../costs.ts';
import type { Rates } from '../interleave.ts';
import { createQueue, deleteQueue, fillQueue, untilEmpty } from './queue.ts';

/** One way to consume a queue. */
export interface Poller {
  readonly name: string;
  readonly work: Work;
  readonly start: (queueUrl: string, handle: () => Promise<unknown>) => Promise<{ stop(): Promise<unknown> }>;
}

export interface Drained {
  readonly client: SQSClient;
  readonly spent: CostMeter;
  readonly messages: number;
  /** FIFO groups. Default: none, on a standard queue. */
  readonly groups?: number;
}

/** Drains a full queue, timed until the last message is deleted. */
export async function drain(
  { name, work, start }: Poller,
  { client, spent, messages, groups = 0 }: Drained,
): Promise<Rates> {
  const queueUrl = await createQueue(client, groups > 0);
  await fillQueue(client, queueUrl, messages, groups);
  const doneBefore = await work.done();
  let handled = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const before = await spent();
  const startedAt = performance.now();
  const running = await start(queueUrl, async () => {
    await work.run();
    handled += 1;
    if (handled === messages) finish();
  });
  await finished;
  await untilEmpty(client, queueUrl);
  const seconds = (performance.now() - startedAt) / 1_000;
  const costs = costOfEach(before, await spent(), messages);
  await running.stop();
  await deleteQueue(client, queueUrl);
  const done = (await work.done()) - doneBefore;
  if (done !== messages) throw new Error(`${name} did ${done} messages of ${messages}`);
  return { fresh: messages / seconds, ...costsAsRates('fresh', costs) };
}
