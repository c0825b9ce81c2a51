import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../src/adapter-kit.ts';
import { inTime } from '../shared/sqs/in-time.ts';
import { isFifoQueue } from '../shared/sqs/queue-settings.ts';

/** The part of an `SQSClient` that the adapter uses. */
export type SqsClient = Pick<SQSClient, 'send'>;

/** What sqs-consumer does not do by itself: it receives, keeps messages invisible, and deletes them. */
export interface Queue {
  readonly isFifo: boolean;
  changeVisibility(receiptHandle: string | undefined, seconds: number): Promise<unknown>;
  /** Sends to another queue. */
  send(input: SendMessageCommandInput): Promise<unknown>;
  /** Its own, or those of another queue. */
  attributes(ofUrl?: string): Promise<Readonly<Partial<Record<string, string>>>>;
}

export function createQueue(client: SqsClient, queueUrl: string, clock: Clock): Queue {
  return {
    isFifo: isFifoQueue(queueUrl),
    changeVisibility(receiptHandle, seconds) {
      const input = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
      return inTime(clock, (options) => client.send(new ChangeMessageVisibilityCommand(input), options));
    },
    send: (input) => inTime(clock, (options) => client.send(new SendMessageCommand(input), options)),
    async attributes(ofUrl = queueUrl) {
      const command = new GetQueueAttributesCommand({ QueueUrl: ofUrl, AttributeNames: ['All'] });
      const { Attributes } = await inTime(clock, (options) => client.send(command, options));
      return Attributes ?? {};
    },
  };
}
