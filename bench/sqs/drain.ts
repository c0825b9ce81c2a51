import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Work } from '../core/work.ts';
import { createQueue, deleteQueue, fillQueue, untilEmpty } from './queue.ts';

/** One way to consume a queue. */
export interface Poller {
  readonly name: string;
  readonly work: Work;
  readonly start: (queueUrl: string, handle: () => Promise<unknown>) => Promise<{ stop(): Promise<unknown> }>;
}

/** Drains a full queue, timed until the last message is deleted. Returns messages per second. */
export async function drain(
  client: SQSClient,
  { name, work, start }: Poller,
  messages: number,
): Promise<number> {
  const queueUrl = await createQueue(client);
  await fillQueue(client, queueUrl, messages);
  const doneBefore = await work.done();
  let handled = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const startedAt = performance.now();
  const running = await start(queueUrl, async () => {
    await work.run();
    handled += 1;
    if (handled === messages) finish();
  });
  await finished;
  await untilEmpty(client, queueUrl);
  const seconds = (performance.now() - startedAt) / 1_000;
  await running.stop();
  await deleteQueue(client, queueUrl);
  const done = (await work.done()) - doneBefore;
  if (done !== messages) throw new Error(`${name} did ${done} messages of ${messages}`);
  return messages / seconds;
}
