import type { SqsRecord } from 'handle-once/lambda';
import type { LambdaKafkaEvent, KafkaRecord } from '../../../adapters/lambda/kafka-event.ts';
import type { LambdaContext } from '../../../adapters/lambda/deadline.ts';
import type { LambdaSqsEvent } from '../../../adapters/lambda/sqs-event.ts';
import { createHash } from 'node:crypto';

/** A context of an invocation that began now. */
export function contextWith(remainingMs: number): LambdaContext {
  const endsAt = performance.now() + remainingMs;
  return { getRemainingTimeInMillis: () => endsAt - performance.now() };
}

/** One that has all the time. */
export function ample(): LambdaContext {
  return contextWith(60_000);
}

export const QUEUE_ARN = 'arn:aws:sqs:us-east-2:123456789012:my-queue';

/** An SQS record as AWS documents it. */
export function sqsRecord(messageId: string, body: string, changed: Partial<SqsRecord> = {}): SqsRecord {
  return {
    messageId,
    receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1545082649183',
      SenderId: 'AIDAIENQZJOLO23YVJ4VO',
      ApproximateFirstReceiveTimestamp: '1545082649185',
    },
    messageAttributes: {
      myAttribute: { stringValue: 'myValue', dataType: 'String' },
    },
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: QUEUE_ARN,
    awsRegion: 'us-east-2',
    ...changed,
  };
}

/** A record of a FIFO queue as AWS documents it. */
export function fifoRecord(messageId: string, body: string, group: string): SqsRecord {
  const record = sqsRecord(messageId, body, { eventSourceARN: `${QUEUE_ARN}.fifo` });
  return {
    ...record,
    attributes: {
      ...record.attributes,
      SequenceNumber: '18849496460467696128',
      MessageGroupId: group,
      MessageDeduplicationId: messageId,
    },
  };
}

export function sqsEvent(...records: SqsRecord[]): LambdaSqsEvent {
  return { Records: records };
}

/** A Kafka record as AWS documents it. */
export function kafkaRecord(
  topic: string,
  partition: number,
  offset: number,
  value: string | null = 'Hello, this is a test.',
  changed: Partial<KafkaRecord> = {},
): KafkaRecord {
  return {
    ...{ topic, partition, offset, timestamp: 1545084650987, timestampType: 'CREATE_TIME' },
    key: Buffer.from('a key').toString('base64'),
    ...(value === null ? {} : { value: Buffer.from(value).toString('base64') }),
    headers: [{ headerKey: [104, 101, 97, 100, 101, 114, 86, 97, 108, 117, 101] }],
    ...changed,
  };
}

/** An event of Amazon MSK as AWS documents it. */
export function mskEvent(...records: KafkaRecord[]): LambdaKafkaEvent {
  return {
    ...{
      eventSource: 'aws:kafka',
      eventSourceArn:
        'arn:aws:kafka:us-east-1:123456789012:cluster/vpc-2priv-2pub/751d2973-a626-431c-9d4e-d7975eb44dd7-2',
      bootstrapServers: 'b-2.demo-cluster-1.a1bcde.c1.kafka.us-east-1.amazonaws.com:9092',
    },
    records: byPartition(records),
  };
}

/** An event of a self-managed Kafka as AWS documents it. */
export function selfManagedEvent(...records: KafkaRecord[]): LambdaKafkaEvent {
  return {
    ...{ eventSource: 'SelfManagedKafka', bootstrapServers: 'abc.xyz.com:9092' },
    records: byPartition(records),
  };
}

function byPartition(records: KafkaRecord[]): Record<string, KafkaRecord[]> {
  const grouped: Record<string, KafkaRecord[]> = {};
  for (const record of records) (grouped[`${record.topic}-${record.partition}`] ??= []).push(record);
  return grouped;
}
