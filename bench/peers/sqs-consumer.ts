import { type Message, SQSClient } from '@aws-sdk/client-sqs';
import { once } from 'node:events';
import { Consumer } from 'sqs-consumer';
import type { SqsConsumerPeer } from '../peers.ts';

const STOP_MS = 5_000;

/** sqs-consumer as its manual shows it: it polls, handles and deletes, and knows nothing of duplicates. */
export const startConsumers: SqsConsumerPeer['startConsumers'] = (options) => {
  const { endpoint, queueUrl, pollers, deletes, handle } = options;
  const sqs = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    useQueueUrlAsEndpoint: false,
  });
  const handleMessage = async (message: Message): Promise<Message> => {
    await handle(message.Body ?? '');
    return message;
  };
  const handleMessageBatch = (messages: Message[]): Promise<Message[]> =>
    Promise.all(messages.map(handleMessage));
  const consumers = Array.from({ length: pollers }, () =>
    Consumer.create({
      ...{ sqs, queueUrl, batchSize: 10, waitTimeSeconds: 1, pollingCompleteWaitTimeMs: STOP_MS },
      ...(deletes === 'in batches' ? { handleMessageBatch } : { handleMessage }),
    }),
  );
  for (const consumer of consumers) {
    consumer.on('error', (error) => {
      console.error(error);
    });
    consumer.start();
  }
  return {
    async stop() {
      const stopped = consumers.map((consumer) => once(consumer, 'stopped'));
      for (const consumer of consumers) consumer.stop();
      await Promise.all(stopped);
      sqs.destroy();
    },
  };
};
