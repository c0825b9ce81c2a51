import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { freshKey, fulfil } from '../fulfil.ts';
import { CONCURRENCY, VISIBILITY_TIMEOUT_SECONDS } from './environment.ts';
import { orderOf } from './queue-client.ts';
import { startSqsWorkerProcess } from './worker-process.ts';

const self = startSqsWorkerProcess();
const stopping = new AbortController();

/** Receive, handle, delete: what a consumer does that keeps no records. */
async function loop(): Promise<void> {
  while (!stopping.signal.aborted) {
    const { Messages = [] } = await self.client.send(
      new ReceiveMessageCommand({
        QueueUrl: self.queueUrl,
        MaxNumberOfMessages: CONCURRENCY,
        VisibilityTimeout: VISIBILITY_TIMEOUT_SECONDS,
        WaitTimeSeconds: 1,
      }),
    );
    await Promise.all(Messages.map((message) => fulfil(self, orderOf(message), freshKey())));
    if (Messages.length > 0) await remove(Messages);
  }
}

async function remove(messages: readonly Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await self.client.send(new DeleteMessageBatchCommand({ QueueUrl: self.queueUrl, Entries }));
}

await self.wordToBegin();
const looping = loop();
self.tellBegun();
self.onStop(async () => {
  stopping.abort();
  await looping;
});
await looping;
