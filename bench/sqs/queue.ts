import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

const SENDERS = 10;
const BATCH = 10;
const NOTE = 'x'.repeat(700);
const VISIBILITY_SECONDS = '120';

/** A standard queue, or a FIFO queue. */
export async function createQueue(client: SQSClient, isFifo: boolean): Promise<string> {
  const name = `bench-${randomBytes(6).toString('hex')}`;
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: isFifo ? `${name}.fifo` : name,
      Attributes: { VisibilityTimeout: VISIBILITY_SECONDS, ...(isFifo && { FifoQueue: 'true' }) },
    }),
  );
  if (QueueUrl === undefined) throw new Error('the SQS server gave no URL of the new queue');
  return QueueUrl;
}

/** With messages of so many groups in turn; of none for a standard queue. */
export async function fillQueue(
  client: SQSClient,
  queueUrl: string,
  messages: number,
  groups: number,
): Promise<void> {
  const inGroup = (index: number): object =>
    groups === 0 ? {} : { MessageGroupId: String(index % groups), MessageDeduplicationId: randomUUID() };
  const batches = Array.from({ length: messages / BATCH }, (_, batch) => batch).values();
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (const batch of batches) {
        const Entries = Array.from({ length: BATCH }, (_, index) => ({
          Id: String(batch * BATCH + index),
          MessageBody: JSON.stringify({ orderId: randomUUID(), cents: 4_200, note: NOTE }),
          ...inGroup(index),
        }));
        await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      }
    }),
  );
}

/** Waits until every message is deleted. */
export async function untilEmpty(client: SQSClient, queueUrl: string): Promise<void> {
  for (;;) {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    if (Object.values(Attributes).every((count) => count === '0')) return;
    await sleep(10);
  }
}

export async function deleteQueue(client: SQSClient, queueUrl: string): Promise<void> {
  await client.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
}
