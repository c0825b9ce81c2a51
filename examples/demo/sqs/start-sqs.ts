import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Channel, RunningBroker } from '../broker.ts';
import type { Order } from '../traffic.ts';
import type { SqsEnvironment } from './environment.ts';
import { messagesIn } from './messages-in.ts';
import { createQueueClient } from './queue-client.ts';
import { startQueue } from './queue.ts';

/** Both trials use the one queue: it is empty when a trial is over. */
export async function startSqs(): Promise<RunningBroker> {
  const queue = await startQueue();
  const client = createQueueClient();
  return {
    openChannel: () => Promise.resolve(channelOf(client, queue.url)),
    async stop() {
      client.destroy();
      await queue.stop();
    },
  };
}

function channelOf(client: SQSClient, queueUrl: string): Channel {
  const environment: SqsEnvironment = { QUEUE_URL: queueUrl };
  return {
    environment: { ...environment },
    async send(orders) {
      for (let start = 0; start < orders.length; start += 10) {
        await sendBatch(client, queueUrl, orders.slice(start, start + 10));
      }
    },
    async undone() {
      const count = await messagesIn(client, queueUrl);
      return count === 0 ? [] : [`${count} messages are in the queue`];
    },
  };
}

/** Sends each as a message of its own: a copy gets another MessageId than its order. */
async function sendBatch(client: SQSClient, queueUrl: string, orders: readonly Order[]): Promise<void> {
  const batch = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: orders.map(entry) });
  const { Failed = [] } = await client.send(batch);
  if (Failed.length > 0) throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`);
}

function entry(order: Order, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(order),
    MessageAttributes: { OrderId: { DataType: 'String', StringValue: order.id } },
  };
}
