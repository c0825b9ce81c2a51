import { randomUUID } from 'node:crypto';
import type { SqsRecord } from 'handle-once/lambda';
import { payloadOf } from '../../core/measure.ts';
import type { Adapter } from './prepare.ts';

/** More than a run takes, and no less than a lease. */
const REMAINING_MS = 60_000;

/** The groups of a FIFO queue, as one event of Lambda. */
export const fifoGroups: Adapter = async ({ lambda }, handleOnce, handler) => {
  const { onceEachSqsRecord } = await lambda();
  return (messages, groups) => {
    const handleEvent = onceEachSqsRecord({ handleOnce, concurrency: groups }, handler);
    const Records = Array.from({ length: messages }, (_, index) => recordOf(index % groups));
    return Promise.resolve(async () => {
      const context = { getRemainingTimeInMillis: () => REMAINING_MS };
      const { batchItemFailures } = await handleEvent({ Records }, context);
      if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} records are reported`);
    });
  };
};

function recordOf(group: number): SqsRecord {
  const messageId = randomUUID();
  const sentAt = String(Date.now());
  return {
    messageId,
    receiptHandle: messageId,
    body: JSON.stringify(payloadOf(messageId)),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: sentAt,
      SenderId: 'bench',
      ApproximateFirstReceiveTimestamp: sentAt,
      MessageGroupId: String(group),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:bench.fifo',
    awsRegion: 'eu-west-1',
  };
}
