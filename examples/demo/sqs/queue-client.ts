import { type Message, type ReceiveMessageCommandOutput, SQSClient } from '@aws-sdk/client-sqs';
import type { Journal } from '../journal.ts';
import type { Order } from '../traffic.ts';

/** A client by the usual environment variables. A local server may give its queues hosts that only it knows. */
export function createQueueClient(): SQSClient {
  return new SQSClient({ useQueueUrlAsEndpoint: false });
}

/** A client that writes each delivery down before its worker sees it. */
export function createWorkerClient(journal: Journal): SQSClient {
  const client = createQueueClient();
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName === 'ReceiveMessageCommand') {
          const { Messages = [] } = result.output as ReceiveMessageCommandOutput;
          await journal.delivered(Messages.map((message) => orderOf(message).id));
        }
        return result;
      },
    { step: 'initialize' },
  );
  return client;
}

export function orderOf({ Body = '' }: Message): Order {
  return JSON.parse(Body) as Order;
}
