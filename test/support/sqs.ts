import { randomBytes } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll } from 'vitest';
import { serviceUrl } from './service-url.ts';
import { createSqsClient } from './sqs-client.ts';
import { receiveNow } from './sqs-receive.ts';

export const sqsServers = ['elasticmq', 'fauxqs'] as const;
export type SqsServer = (typeof sqsServers)[number];

const [elasticmq, fauxqs] = await Promise.all([serviceUrl('elasticmq'), serviceUrl('fauxqs')]);
const endpoints: Record<SqsServer, string> = { elasticmq, fauxqs };

/** For worker processes: they make their own client with `createSqsClient`. */
export function sqsEndpoint(server: SqsServer): string {
  return endpoints[server];
}

/** A client that is closed after the calling file's last test. */
export function useSqs(server: SqsServer): SQSClient {
  const client = createSqsClient(sqsEndpoint(server));
  afterAll(() => {
    client.destroy();
  });
  return client;
}

export interface QueueOptions {
  fifo?: boolean;
  visibilityTimeoutSeconds?: number;
  redrive?: { deadLetterQueueUrl: string; maxReceiveCount: number };
  attributes?: Partial<Record<QueueAttributeName, string>>;
}

/** Creates a queue with a name of its own, and gives its URL. */
export async function createQueue(client: SQSClient, options: QueueOptions = {}): Promise<string> {
  const { fifo = false, visibilityTimeoutSeconds, redrive, attributes } = options;
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: `test-${randomBytes(6).toString('hex')}${fifo ? '.fifo' : ''}`,
      Attributes: {
        ...(fifo && { FifoQueue: 'true' }),
        ...(visibilityTimeoutSeconds !== undefined && {
          VisibilityTimeout: String(visibilityTimeoutSeconds),
        }),
        ...(redrive && {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: await queueArn(client, redrive.deadLetterQueueUrl),
            maxReceiveCount: redrive.maxReceiveCount,
          }),
        }),
        ...attributes,
      },
    }),
  );
  if (QueueUrl === undefined) throw new Error('The SQS server answered without the URL of the new queue');
  return QueueUrl;
}

/** Creates a queue that moves a message to another one after more receives than handle-once can need. */
export async function createQueueWithRedrive(client: SQSClient): Promise<string> {
  const deadLetterQueueUrl = await createQueue(client);
  return await createQueue(client, { redrive: { deadLetterQueueUrl, maxReceiveCount: 30 } });
}

export async function queueArn(client: SQSClient, queueUrl: string): Promise<string> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  );
  const arn = Attributes?.QueueArn;
  if (arn === undefined) throw new Error(`The SQS server gave no ARN of ${queueUrl}`);
  return arn;
}

/** Receives and deletes all messages that are visible now. */
export async function drain(client: SQSClient, queueUrl: string): Promise<Message[]> {
  const drained: Message[] = [];
  for (;;) {
    const messages = await receiveNow(client, queueUrl, 10);
    if (messages.length === 0) return drained;
    for (const message of messages) {
      await client.send(
        new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }),
      );
    }
    drained.push(...messages);
  }
}
