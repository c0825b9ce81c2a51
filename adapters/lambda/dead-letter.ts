import { deadLetterAttributes, type DeadLetterFacts } from '../../src/adapter-kit.ts';
import type { SqsRecord, SqsRecordAttribute } from './sqs-event.ts';

interface AttributeValue {
  DataType: string;
  StringValue?: string;
  BinaryValue?: Uint8Array;
}

/** What is sent to a dead-letter queue. */
export interface DeadLetter {
  QueueUrl: string;
  MessageBody: string;
  MessageAttributes: Record<string, AttributeValue>;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
}

/** An `SQS` client of `@aws-sdk/client-sqs`, or whatever else sends a message. */
export interface DeadLetterClient {
  sendMessage(deadLetter: DeadLetter): Promise<unknown>;
}

/**
 * The copy that goes to the dead-letter queue: the original body and attributes, and why it is there.
 *
 * On a FIFO queue the copy keeps its group, and a copy sent again is the same message.
 */
export function deadLetterOf(
  { body, messageId, attributes, messageAttributes }: SqsRecord,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
): DeadLetter {
  const original = Object.entries(messageAttributes).map(([name, value]) => [name, toSend(value)] as const);
  return {
    QueueUrl: deadLetterQueueUrl,
    MessageBody: body,
    MessageAttributes: deadLetterAttributes<AttributeValue>(Object.fromEntries(original), facts),
    ...(deadLetterQueueUrl.endsWith('.fifo')
      ? {
          MessageGroupId: attributes.MessageGroupId ?? 'handle-once',
          MessageDeduplicationId: messageId,
        }
      : {}),
  };
}

function toSend({ dataType, stringValue, binaryValue }: SqsRecordAttribute): AttributeValue {
  return {
    DataType: dataType,
    ...(stringValue === undefined ? {} : { StringValue: stringValue }),
    ...(binaryValue === undefined ? {} : { BinaryValue: Buffer.from(binaryValue, 'base64') }),
  };
}
