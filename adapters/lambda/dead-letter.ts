import { type DeadLetterFacts } from '../../src/adapter-kit.ts';
import { sendDeadLetter } from '../shared/sqs/send-dead-letter.ts';
import type { SqsRecord, SqsRecordAttribute } from './sqs-event.ts';

interface AttributeValue {
  DataType: string;
  StringValue?: string;
  BinaryValue?: Uint8Array;
}

/** A dead letter, as `sendMessage` of an `SQS` client takes it. */
export interface DeadLetter {
  QueueUrl: string;
  MessageBody: string;
  MessageAttributes: Record<string, AttributeValue>;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
}

/** An `SQS` client of `@aws-sdk/client-sqs`, or anything else that sends a message. */
export interface DeadLetterClient {
  /** Resolves once the queue has the copy: only then is the record acknowledged. A rejection keeps it. */
  sendMessage(deadLetter: DeadLetter): Promise<unknown>;
}

/** Where a record goes that has failed permanently. */
export interface DeadLetterQueue {
  /** Any queue, also that of the redrive policy. A FIFO queue keeps the message groups. */
  readonly deadLetterQueueUrl: string;
  /** An `SQS` of `@aws-sdk/client-sqs`. */
  readonly client: DeadLetterClient;
}

/** Resolves with the names of those of our attributes that found no room in the copy. */
export function sendRecord(
  { body, messageId, attributes, messageAttributes }: SqsRecord,
  facts: DeadLetterFacts,
  { deadLetterQueueUrl, client }: DeadLetterQueue,
): Promise<readonly string[]> {
  const sent = Object.entries(messageAttributes).map(([name, value]) => [name, toSend(value)] as const);
  const original = {
    Body: body,
    MessageId: messageId,
    Attributes: attributes,
    MessageAttributes: Object.fromEntries(sent),
  };
  return sendDeadLetter<AttributeValue>(original, facts, deadLetterQueueUrl, (deadLetter) =>
    client.sendMessage(deadLetter),
  );
}

function toSend({ dataType, stringValue, binaryValue }: SqsRecordAttribute): AttributeValue {
  return {
    DataType: dataType,
    ...(stringValue === undefined ? {} : { StringValue: stringValue }),
    ...(binaryValue === undefined ? {} : { BinaryValue: Buffer.from(binaryValue, 'base64') }),
  };
}
