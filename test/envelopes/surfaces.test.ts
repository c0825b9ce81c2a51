import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { cloudEvents, debezium, type DebeziumChange, eventBridge, s3, sns } from 'handle-once/envelopes';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { onceEachSqsMessage } from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createFakeConsumer, createFakeQueue, createMemoryStore } from 'handle-once/testing';
import { expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod';
import {
  cloudEventHeaders,
  eventBridgeEvent,
  ORDER,
  postgresChange,
  s3Record,
  snsNotification,
} from './recorded.ts';

const context = { getRemainingTimeInMillis: () => 30_000 };

function bench() {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'test', onEvent: () => undefined });
  return { handleOnce, handler: vi.fn(), keys: () => store.records().map(({ key }) => key) };
}

function sqsBench() {
  const queue = createFakeQueue();
  const client: SqsClient = queue.client;
  const receive = async () => {
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: queue.queueUrl }));
    const [message] = Messages ?? [];
    if (message === undefined) throw new Error('the queue gave nothing');
    return message;
  };
  const options = { client, queueUrl: queue.queueUrl, onEvent: () => undefined };
  return { queue, receive, options };
}

it('SQS: what SNS delivers twice runs once', async () => {
  const { handleOnce, handler } = bench();
  const { queue, receive, options } = sqsBench();
  const handleMessage = onceEachSqsMessage({ ...options, handleOnce, ...sns }, handler);
  for (const Signature of ['one', 'two']) queue.send(JSON.stringify({ ...snsNotification, Signature }));
  expect(await handleMessage(await receive())).toMatchObject({ outcome: { replayed: false } });
  expect(await handleMessage(await receive())).toMatchObject({
    action: 'acknowledged',
    outcome: { replayed: true },
  });
  expect(handler.mock.calls.map(([payload]) => payload as unknown)).toEqual([ORDER]);
});

it('SQS: a schema is for the payload, without the envelope', async () => {
  const { handleOnce } = bench();
  const { queue, receive, options } = sqsBench();
  const schema = z.object({ id: z.string(), cents: z.number() });
  const handleMessage = onceEachSqsMessage({ ...options, handleOnce, ...eventBridge, schema }, (order) => {
    expectTypeOf(order).toEqualTypeOf<{ id: string; cents: number }>();
    return order.cents;
  });
  queue.send(JSON.stringify(eventBridgeEvent));
  expect(await handleMessage(await receive())).toMatchObject({ outcome: { result: 995 } });
});

it('SQS: a malformed envelope ends as a message without a key does', async () => {
  const { handleOnce, handler } = bench();
  const { queue, receive, options } = sqsBench();
  const onFailed = { deadLetterQueueUrl: 'https://sqs.example/000000000000/failed' };
  const handleMessage = onceEachSqsMessage({ ...options, handleOnce, ...sns, onFailed }, handler);
  queue.send(JSON.stringify(snsNotification));
  queue.send('{"password":"secret"}');
  await handleMessage(await receive());
  expect(await handleMessage(await receive())).toMatchObject({ action: 'dead-lettered' });
  expect(handler).toHaveBeenCalledTimes(1);
  const [deadLetter] = queue.deadLetters();
  const said = JSON.stringify(deadLetter?.attributes);
  expect(said).toContain('InvalidKeyError: the message is not a notification of SNS');
  expect(said).not.toContain('secret');
});

it('SQS on Lambda: the payload of S3 is its list of records', async () => {
  const { handleOnce, handler, keys } = bench();
  const handle = onceEachSqsRecord({ handleOnce, ...s3 }, (records) => {
    handler(records.map(({ s3: { bucket, object } }) => `${bucket.name}/${object.key}`));
  });
  const record = {
    ...{ messageId: '1', receiptHandle: '1', body: JSON.stringify({ Records: [s3Record] }) },
    ...{ messageAttributes: {}, md5OfBody: '', eventSource: 'aws:sqs', awsRegion: 'eu-central-1' },
    eventSourceARN: 'arn:aws:sqs:eu-central-1:111122223333:invoices',
    attributes: {
      ...{ ApproximateReceiveCount: '1', SentTimestamp: '1772703000000', SenderId: 'A' },
      ApproximateFirstReceiveTimestamp: '1772703000000',
    },
  };
  const again = { ...record, messageId: '2', receiptHandle: '2' };
  await handle({ Records: [record] }, context);
  expect(await handle({ Records: [again] }, context)).toEqual({ batchItemFailures: [] });
  expect(handler.mock.calls).toEqual([[['example-bucket/invoices/march+2026.pdf']]]);
  expect(keys()).toHaveLength(1);
});

it('Kafka: a CloudEvent in binary mode that is produced twice runs once', async () => {
  const { handleOnce, handler, keys } = bench();
  const consumer = createFakeConsumer();
  await consumer.subscribe({ topics: ['orders'] });
  const options = { consumer, groupId: 'workers', onEvent: () => undefined, fromBeginning: true } as const;
  await consumer.run(
    onceEachKafkaMessage(
      { ...options, handleOnce, onFailed: 'acknowledge', ...cloudEvents },
      ({ payload }) => {
        handler(payload);
      },
    ),
  );
  for (let times = 0; times < 2; times += 1) {
    consumer.produce('orders', { value: JSON.stringify(ORDER), headers: cloudEventHeaders });
    await consumer.poll();
  }
  expect(handler.mock.calls).toEqual([[ORDER]]);
  expect(keys()).toEqual(['["/shop/orders","A234-1234-1234"]']);
  expect(consumer.committed('orders')).toBe('2');
  await consumer.stop();
});

it('Kafka on Lambda: a change of Debezium and its tombstone', async () => {
  const { handleOnce, handler } = bench();
  const options = { handleOnce, groupId: 'workers', onFailed: 'acknowledge', ...debezium } as const;
  const handle = onceEachKafkaRecord(options, ({ payload }) => {
    expectTypeOf(payload).toEqualTypeOf<DebeziumChange | null>();
    handler(payload?.op ?? 'tombstone');
  });
  const value = Buffer.from(JSON.stringify(postgresChange)).toString('base64');
  const place = { topic: 'shop.orders', partition: 0, timestamp: 1772703000000, key: 'Nw==' };
  const records = [
    { ...place, offset: 0, value },
    { ...place, offset: 1, value: null },
  ];
  await handle({ records: { 'shop.orders-0': records } }, context);
  expect(handler.mock.calls).toEqual([['c'], ['tombstone']]);
});

interface Queued {
  readonly body: string;
}

it('a queue of your own, and handleOnce itself', async () => {
  const { handleOnce, handler, keys } = bench();
  const body = JSON.stringify(eventBridgeEvent);
  const acknowledge = vi.fn();
  const handle = onceEach(
    {
      ...{ handleOnce, acknowledge, onFailed: 'keep', ...eventBridge },
      key: (message: Queued) => eventBridge.key(message),
      body: (message) => message.body,
    },
    (detail) => {
      handler(detail);
    },
  );
  await handle({ body });
  const { key, ...options } = eventBridge;
  const outcome = await handleOnce(key({ body }), body, handler, options);
  expect(outcome).toMatchObject({ replayed: true });
  expect(handler.mock.calls).toEqual([[ORDER]]);
  expect(acknowledge).toHaveBeenCalledTimes(1);
  expect(keys()).toEqual([eventBridgeEvent.id]);
});
