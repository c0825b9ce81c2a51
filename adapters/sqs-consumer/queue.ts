import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** The part of an `SQSClient` that the adapter uses. */
export type SqsClient = Pick<SQSClient, 'send'>;

/** What sqs-consumer does not do by itself: it receives, keeps messages invisible, and deletes them. */
export interface Queue {
  readonly isFifo: boolean;
  changeVisibility(receiptHandle: string | undefined, seconds: number): Promise<unknown>;
  /** Sends to another queue. */
  send(input: SendMessageCommandInput): Promise<unknown>;
  attributes(): Promise<Readonly<Partial<Record<string, string>>>>;
}

/** Without a bound a connection that hangs would hold its message, and sqs-consumer's next receive, without end. */
const CALL_TIMEOUT_MS = 15_000;

export function createQueue(client: SqsClient, queueUrl: string): Queue {
  const inTime = () => ({ abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  return {
    isFifo: queueUrl.endsWith('.fifo'),
    changeVisibility(receiptHandle, seconds) {
      const input = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
      return client.send(new ChangeMessageVisibilityCommand(input), inTime());
    },
    send: (input) => client.send(new SendMessageCommand(input), inTime()),
    async attributes() {
      const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
      const { Attributes } = await client.send(command, inTime());
      return Attributes ?? {};
    },
  };
}
