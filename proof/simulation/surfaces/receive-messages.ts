import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { SqsMessage } from '../../../adapters/sqs/index.ts';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import { queueUrlOf } from '../models/sqs-client.ts';
import type { Settings } from '../plan/settings.ts';

/** One long poll of a user's loop, for more messages than it handles at once. */
export async function receiveMessages(
  client: SqsClient,
  settings: Settings,
  abortSignal: AbortSignal,
): Promise<readonly SqsMessage[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrlOf(settings),
    MaxNumberOfMessages: 2 * settings.concurrency,
    WaitTimeSeconds: settings.waitTimeSeconds,
    VisibilityTimeout: settings.visibilityTimeoutSeconds,
  });
  const { Messages = [] } = await client.send(command, { abortSignal });
  return Messages;
}
