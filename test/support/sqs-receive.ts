import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/**
 * What a consumer gets that asks now, with all attributes. Knows nothing of the test runner: worker processes use it
 * too.
 */
export async function receiveNow(client: SQSClient, queueUrl: string, max: number): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: max,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
}
