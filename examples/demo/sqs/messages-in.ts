import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** All messages of a queue: visible, in flight, or delayed. */
export async function messagesIn(client: SQSClient, queueUrl: string): Promise<number> {
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
