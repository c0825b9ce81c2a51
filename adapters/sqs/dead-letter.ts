import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { deadLetterAttributes, type DeadLetterFacts } from '../../src/adapter-kit.ts';
import type { SqsMessage } from './message.ts';

/**
 * The copy that goes to the dead-letter queue: the original body and attributes, and why it is there.
 *
 * On a FIFO queue the copy keeps its group, and a copy sent again is the same message.
 */
export function deadLetterOf(
  message: SqsMessage,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
): SendMessageCommandInput {
  return {
    QueueUrl: deadLetterQueueUrl,
    MessageBody: message.Body ?? '',
    MessageAttributes: deadLetterAttributes(message.MessageAttributes ?? {}, facts),
    ...(deadLetterQueueUrl.endsWith('.fifo')
      ? {
          MessageGroupId: message.Attributes?.MessageGroupId ?? 'handle-once',
          MessageDeduplicationId: message.MessageId,
        }
      : {}),
  };
}
