import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { SqsMessage } from './message.ts';

export interface DeadLetterFacts {
  readonly scope: string;
  readonly key: string;
  readonly errorName: string;
  readonly attempts: number;
}

/** SQS takes no more attributes than this on one message. */
const MAX_ATTRIBUTES = 10;

/**
 * The copy that goes to the dead-letter queue: the original body and attributes, and why it is there.
 *
 * The original's attributes come first: of ours, those that find no room among ten are left out. On a FIFO queue the
 * copy keeps its group, and a copy sent again is the same message.
 */
export function deadLetterOf(
  message: SqsMessage,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
): SendMessageCommandInput {
  const ours: [string, MessageAttributeValue][] = [
    ['HandleOnceScope', stringAttribute(facts.scope)],
    ['HandleOnceKey', stringAttribute(facts.key)],
    ['HandleOnceError', stringAttribute(facts.errorName)],
    ['HandleOnceAttempts', { DataType: 'Number', StringValue: String(facts.attempts) }],
  ];
  const original = Object.entries(message.MessageAttributes ?? {});
  return {
    QueueUrl: deadLetterQueueUrl,
    MessageBody: message.Body ?? '',
    MessageAttributes: Object.fromEntries([...original, ...ours].slice(0, MAX_ATTRIBUTES)),
    ...(deadLetterQueueUrl.endsWith('.fifo')
      ? {
          MessageGroupId: message.Attributes?.MessageGroupId ?? 'handle-once',
          MessageDeduplicationId: message.MessageId,
        }
      : {}),
  };
}

/** SQS takes neither an empty value nor characters that XML 1.0 lacks. A key that was refused can be anything. */
function stringAttribute(value: unknown): MessageAttributeValue {
  const wellFormed = String(value).toWellFormed();
  // eslint-disable-next-line no-control-regex -- these are the characters to replace
  const accepted = wellFormed.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return { DataType: 'String', StringValue: accepted === '' ? '\ufffd' : accepted };
}
