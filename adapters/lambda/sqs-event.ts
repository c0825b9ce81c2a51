import * as z from 'zod/mini';
import { hasMethods, lazily, satisfying } from '../../src/adapter-kit.ts';
import { IDENTITY_ATTRIBUTE } from '../shared/sqs/copy-identity.ts';
import { queueSource } from '../shared/sqs/message-source.ts';
import type { MessageForm } from '../shared/sqs/queue-delivery.ts';
import { isFifoQueue } from '../shared/sqs/queue-settings.ts';
import { lambdaContext } from './deadline.ts';

/** A message attribute in Lambda's SQS event, by shape: those of `@types/aws-lambda` fit. */
export interface SqsRecordAttribute {
  readonly stringValue?: string | undefined;
  /** Base64. */
  readonly binaryValue?: string | undefined;
  readonly dataType: string;
}

/** System attributes of a message in Lambda's SQS event. Times are milliseconds since 1970, as text. */
export interface SqsRecordAttributes {
  readonly ApproximateReceiveCount: string;
  readonly SentTimestamp: string;
  readonly SenderId: string;
  readonly ApproximateFirstReceiveTimestamp: string;
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly SequenceNumber?: string | undefined;
  readonly AWSTraceHeader?: string | undefined;
}

/** A message as Lambda delivers it. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: SqsRecordAttributes;
  readonly messageAttributes: Readonly<Record<string, SqsRecordAttribute>>;
  readonly md5OfBody: string;
  readonly eventSource: string;
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

/** The event of Lambda's SQS event source, by shape: those of `@types/aws-lambda` fit. */
export interface LambdaSqsEvent {
  readonly Records: readonly SqsRecord[];
}

/** The messages that Lambda keeps in the queue; it deletes the others. */
export interface SqsResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** What Lambda calls the function with. Throws `InvalidOptionsError` for anything else. */
export const sqsInvocation = lazily(() =>
  z.object({
    event: z.looseObject(
      { Records: satisfying<readonly SqsRecord[]>(isRecords, 'the list of records of an SQS event source') },
      { error: 'must be the event of an SQS event source' },
    ),
    context: lambdaContext(),
  }),
);

function isRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function isRecord(value: unknown): boolean {
  const { messageId, body, eventSourceARN, attributes } = value as Partial<SqsRecord>;
  return (
    [messageId, body, eventSourceARN].every((text) => typeof text === 'string') && hasMethods(attributes, [])
  );
}

/** On a standard queue a group only says who sent. */
export function messageGroup({ eventSourceARN, attributes }: SqsRecord): string | undefined {
  return isFifoQueue(eventSourceARN) ? (attributes.MessageGroupId ?? '') : undefined;
}

/** The records of an event. Not all is checked: one that a test makes can lack attributes. */
export function recordsOf({ Records }: LambdaSqsEvent): readonly SqsRecord[] {
  return Records.map(({ messageAttributes, ...record }: PartialRecord) => ({
    ...record,
    messageAttributes: messageAttributes ?? {},
  }));
}

type PartialRecord = Omit<SqsRecord, 'messageAttributes'> & Partial<Pick<SqsRecord, 'messageAttributes'>>;

/** Records as messages of a queue. */
export const recordForm: MessageForm<SqsRecord> = {
  identityText: ({ messageAttributes }) => messageAttributes[IDENTITY_ATTRIBUTE]?.stringValue,
  asOriginal: (record, { messageId, sentAt }) => ({
    ...record,
    ...(messageId === undefined ? {} : { messageId }),
    attributes: { ...record.attributes, ...(sentAt === undefined ? {} : { SentTimestamp: sentAt }) },
    messageAttributes: Object.fromEntries(
      Object.entries(record.messageAttributes).filter(([name]) => name !== IDENTITY_ATTRIBUTE),
    ),
  }),
  bodyOf: ({ body }) => body,
  sourceOf({ eventSourceARN, messageId, attributes, messageAttributes }) {
    return queueSource({
      queue: eventSourceARN,
      messageId,
      attribute: (name) => messageAttributes[name]?.stringValue,
      traceHeader: attributes.AWSTraceHeader,
    });
  },
  onAttempt: (record) => ({ record }),
};
