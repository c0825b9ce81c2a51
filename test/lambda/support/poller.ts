import {
  DeleteMessageCommand,
  type Message,
  type MessageAttributeValue,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { OnceEachSqsRecord, SqsRecord } from 'handle-once/lambda';
import type { LambdaContext } from '../../../adapters/lambda/deadline.ts';
import type { SqsRecordAttribute } from '../../../adapters/lambda/sqs-event.ts';
import { receiveNow } from '../../support/sqs-receive.ts';
import { contextWith } from './events.ts';

export interface Source {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
}

export interface Invocation {
  readonly delivered: readonly SqsRecord[];
  readonly reported: readonly string[];
}

/**
 * What Lambda's poller does once: receives up to ten, invokes the function, deletes what is not reported, leaves the
 * rest. When the function fails it deletes nothing.
 */
export async function poll(
  { client, queueUrl, queueArn }: Source,
  handler: OnceEachSqsRecord,
  context: LambdaContext = contextWith(60_000),
): Promise<Invocation> {
  const messages = await receiveNow(client, queueUrl, 10);
  if (messages.length === 0) return { delivered: [], reported: [] };
  const delivered = messages.map((message) => toRecord(message, queueArn));
  // As JSON, as Lambda hands it over.
  const event = JSON.parse(JSON.stringify({ Records: delivered })) as { Records: SqsRecord[] };
  const answer = JSON.parse(JSON.stringify(await handler(event, context))) as Awaited<
    ReturnType<OnceEachSqsRecord>
  >;
  const reported = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  for (const { messageId, receiptHandle } of delivered) {
    if (reported.includes(messageId)) continue;
    await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
  }
  return { delivered, reported };
}

function toRecord(message: Message, eventSourceARN: string): SqsRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes as SqsRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, toAttribute(value)])),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: 'us-east-1',
  };
}

function toAttribute({ DataType = '', StringValue, BinaryValue }: MessageAttributeValue): SqsRecordAttribute {
  return {
    dataType: DataType,
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  };
}
