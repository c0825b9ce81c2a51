import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Sends ten at a time. */
export async function sendMany(
  client: SQSClient,
  queueUrl: string,
  bodies: readonly string[],
): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((body, n) => ({ Id: String(n), MessageBody: body }));
    await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}
