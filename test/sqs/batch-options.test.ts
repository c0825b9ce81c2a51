import { createHandleOnce } from 'handle-once';
import {
  createSqsWorker,
  onceEachConsumerBatch,
  onceEachConsumerMessage,
  onceEachSqsMessage,
} from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

type Loose = (options: object) => unknown;
const queueUrl = 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders';
const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
const client = { send: () => undefined };
const handler = (): undefined => undefined;
const consumerOptions = { queueUrl, sqs: client, batchSize: 10 };

const worker: Loose = (options) =>
  createSqsWorker({ client, queueUrl, handleOnce, ...options } as never, handler);
const loop: Loose = (options) =>
  onceEachSqsMessage({ client, queueUrl, handleOnce, ...options } as never, handler);
const consumerBatch: Loose = (options) =>
  onceEachConsumerBatch({ consumerOptions, handleOnce, ...options } as never, handler);
const consumerMessage: Loose = (options) =>
  onceEachConsumerMessage({ consumerOptions, handleOnce, ...options } as never, handler);

test.each([
  ['a worker', worker, { batch: { size: 2 } }],
  ['a worker', worker, { batch: { size: 500, waitMs: 0 } }],
  ['a worker', worker, { batch: { size: 5, waitMs: 60_000 }, concurrency: 1_000 }],
  ['a worker', worker, { batch: undefined }],
  ['a consumer', consumerBatch, { batch: { size: 10 } }],
  ['a consumer of messages', consumerMessage, { batch: undefined }],
])('%s takes %$', (_, create, options) => {
  expect(issuesOf(() => create(options))).toEqual([]);
});

test.each([
  [worker, { batch: { size: 1 } }, 'batch.size', /whole number of messages from 2 to 500/],
  [worker, { batch: {} }, 'batch.size', /whole number of messages/],
  [
    worker,
    { batch: { size: 2, waitMs: -1 } },
    'batch.waitMs',
    /whole number of milliseconds from 0 to 60,000/,
  ],
  [worker, { batch: { size: 2, typo: 1 } }, 'batch.typo', /not an option/],
  [worker, { batch: 10 }, 'batch', /object/],
  [
    worker,
    { batch: { size: 6 }, concurrency: 1_000 },
    'concurrency',
    /^must be at most 833 with batch.size 6 /,
  ],
  [worker, { batch: { size: 2 }, maxDeaths: 2 }, 'maxDeaths', /at least 3 for a batch handler/],
  [worker, { batch: { size: 2 }, maxAttempts: 1 }, 'maxAttempts', /at least 2 for a batch handler without/],
  [loop, { batch: { size: 2 } }, 'batch', /not an option/],
  [consumerMessage, { batch: { size: 2 } }, 'batch', /is an option of onceEachConsumerBatch/],
  [consumerBatch, { batch: { size: 2, waitMs: 1 } }, 'batch.waitMs', /not an option/],
  [consumerBatch, { batch: { size: 2 }, maxDeaths: 2 }, 'maxDeaths', /at least 3 for a batch handler/],
  [
    consumerBatch,
    { batch: { size: 2 }, consumerOptions: { ...consumerOptions, batchSize: undefined } },
    'consumerOptions.batchSize',
    /must be above 1 for batches/,
  ],
] as const)('%# refuses what is wrong, by name', (create, options, field, message) => {
  expect(issuesOf(() => create(options))).toEqual([
    { field, message: expect.stringMatching(message) as string },
  ]);
});
