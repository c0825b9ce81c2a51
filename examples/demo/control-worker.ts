import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { CONCURRENCY, VISIBILITY_TIMEOUT_SECONDS } from './environment.ts';
import { freshKey, fulfil } from './fulfil.ts';
import type { Order } from './traffic.ts';
import { onStop, startWorkerProcess } from './worker-process.ts';

const { worker, sql, client, queueUrl } = startWorkerProcess();
const stopping = new AbortController();

/** Receive, handle, delete: what a consumer does that keeps no records. */
async function loop(): Promise<void> {
  while (!stopping.signal.aborted) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: CONCURRENCY,
        VisibilityTimeout: VISIBILITY_TIMEOUT_SECONDS,
        WaitTimeSeconds: 1,
      }),
    );
    await Promise.all(Messages.map(handle));
    if (Messages.length > 0) await remove(Messages);
  }
}

async function handle(message: Message): Promise<void> {
  await fulfil(sql, worker, JSON.parse(message.Body ?? '') as Order, freshKey());
}

async function remove(messages: readonly Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
}

const looping = loop();
onStop(async () => {
  stopping.abort();
  await looping;
  await sql.end({ timeout: 5 });
});
process.send?.('ready');
await looping;
