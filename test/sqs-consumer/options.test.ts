import { createHandleOnce } from 'handle-once';
import { onceEachConsumerMessage, onceEachConsumerBatch } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

const queueUrl = 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders';
const fifoUrl = `${queueUrl}.fifo`;
const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
const sqs = { send: () => undefined };
const right = { consumerOptions: { queueUrl, sqs }, handleOnce };
const deadLetters = { onFailed: { deadLetterQueueUrl: `${queueUrl}-dead` } };

type Loose = (options: unknown, handler?: unknown) => object;
const handler = (): undefined => undefined;
const single: Loose = (options, given = handler) => onceEachConsumerMessage(options as never, given as never);
const batch: Loose = (options, given = handler) => onceEachConsumerBatch(options as never, given as never);

/** The others are those of test/sqs/options.test.ts: one schema. */
const wrong: [field: string, value: unknown, message: RegExp][] = [
  ['handleOnce', undefined, /createHandleOnce/],
  ['consumerOptions', undefined, /what Consumer.create takes/],
  ['signal', AbortSignal.abort(), /function that gives an AbortSignal/],
  ['onEvent', {}, /function of one event/],
  ['inTransaction', true, /your own store has no transactions/],
  ['visibilityTimeout', 60, /not an option/],
];

const wrongOfConsumer: typeof wrong = [
  ['queueUrl', 'orders', /URL of the queue/],
  ['queueUrl', undefined, /URL of the queue/],
  ['sqs', undefined, /the SQSClient that the consumer uses/],
  ['sqs', {}, /the SQSClient that the consumer uses/],
  ['batchSize', 11, /whole number of messages from 1 to 10/],
  ['visibilityTimeout', 30, /must be above the lease of 30 s; pass visibilityTimeout: 60/],
  ['visibilityTimeout', 43_201, /whole number of seconds/],
  ['handleMessage', handler, /must be left out: the handler is the second argument/],
  ['handleMessageBatch', handler, /must be left out: the handler is the second argument/],
  ['handleMessageTimeout', 1_000, /must be left out: .* pass timeoutMs to createHandleOnce/],
  ['terminateVisibilityTimeout', true, /must be false or left out: .* after its backoff/],
  ['terminateVisibilityTimeout', 5, /must be false or left out/],
  ['terminateVisibilityTimeout', () => 5, /must be false or left out/],
  ['alwaysAcknowledge', true, /must be false or left out: .* not settled/],
  ['shouldDeleteMessages', false, /must be true or left out/],
];

describe.each([
  ['onceEachConsumerMessage', single],
  ['onceEachConsumerBatch', batch],
])('%s', (subject, create) => {
  test.each(wrong)('refuses a wrong %s by name', (field, value, message) => {
    const issues = issuesOf(() => create({ ...right, [field]: value }));
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  test.each(wrongOfConsumer)('refuses a %s that contradicts it (%s)', (field, value, message) => {
    const consumerOptions = { ...right.consumerOptions, [field]: value };
    const issues = issuesOf(() => create({ ...right, consumerOptions }));
    expect(issues).toEqual([
      { field: `consumerOptions.${field}`, message: expect.stringMatching(message) as string },
    ]);
  });

  test('refuses what is no handler, and says who refuses', () => {
    expect(() => create(right, 'handler')).toThrow(new RegExp(`^${subject}: handler`));
  });

  test('refuses fingerprint and ignoredFields together', () => {
    const issues = issuesOf(() => create({ ...right, fingerprint: false, ignoredFields: [] }));
    expect(issues).toMatchObject([{ field: 'ignoredFields' }]);
  });

  test('refuses a dead-letter queue that is the queue itself', () => {
    const onFailed = { deadLetterQueueUrl: queueUrl };
    expect(issuesOf(() => create({ ...right, onFailed }))).toMatchObject([
      { field: 'onFailed.deadLetterQueueUrl' },
    ]);
  });

  test('refuses to leave out attributes that a dead letter needs, and no others', () => {
    const consumerOptions = { ...right.consumerOptions, messageAttributeNames: ['Tenant'] };
    expect(issuesOf(() => create({ ...right, consumerOptions }))).toEqual([]);
    expect(issuesOf(() => create({ ...right, ...deadLetters, consumerOptions }))).toMatchObject([
      {
        field: 'consumerOptions.messageAttributeNames',
        message: expect.stringContaining("['All']") as string,
      },
    ]);
  });

  test.each([
    { messageSystemAttributeNames: ['SentTimestamp'] },
    { attributeNames: ['SentTimestamp'] },
    { messageSystemAttributeNames: [] },
  ])('refuses to leave out the group of a FIFO queue: %j', (names) => {
    const consumerOptions = { queueUrl: fifoUrl, sqs, ...names };
    expect(issuesOf(() => create({ ...right, consumerOptions }))).toMatchObject([
      { field: 'consumerOptions.messageSystemAttributeNames' },
    ]);
  });

  test.each([
    { messageSystemAttributeNames: ['MessageGroupId'] },
    { attributeNames: ['All'] },
    { messageSystemAttributeNames: ['All'] },
    {},
  ])('takes %j on a FIFO queue', (names) => {
    const consumerOptions = { queueUrl: fifoUrl, sqs, ...names };
    expect(issuesOf(() => create({ ...right, consumerOptions }))).toEqual([]);
  });

  test('turns the heartbeat on, asks for all attributes, and keeps everything that it was given', () => {
    const consumerOptions = { ...right.consumerOptions, waitTimeSeconds: 7 };
    expect(create({ ...right, consumerOptions })).toMatchObject({
      ...consumerOptions,
      visibilityTimeout: 60,
      heartbeatInterval: 20,
      messageAttributeNames: ['All'],
      messageSystemAttributeNames: ['All'],
    });
    const own = { visibilityTimeout: 90, heartbeatInterval: 10, messageAttributeNames: ['Tenant'] };
    expect(create({ ...right, consumerOptions: { ...consumerOptions, ...own } })).toMatchObject({
      ...own,
      messageAttributeNames: ['Tenant', 'HandleOnceIdentity'],
    });
  });

  test('asks for no system attributes under both of their names', () => {
    const attributeNames = ['SentTimestamp'];
    const once = create({ ...right, consumerOptions: { ...right.consumerOptions, attributeNames } });
    expect(once).toMatchObject({ attributeNames, messageSystemAttributeNames: [] });
  });
});

test('messages of a FIFO queue are not run side by side', () => {
  const consumerOptions = { queueUrl: fifoUrl, sqs, batchSize: 2 };
  expect(issuesOf(() => single({ ...right, consumerOptions }))).toMatchObject([
    {
      field: 'consumerOptions.batchSize',
      message: expect.stringContaining('onceEachConsumerBatch') as string,
    },
  ]);
  expect(issuesOf(() => batch({ ...right, consumerOptions }))).toEqual([]);
});
