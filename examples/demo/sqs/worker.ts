import { createSqsWorker } from 'handle-once/sqs';
import * as z from 'zod';
import { fulfil } from '../fulfil.ts';
import { createOnce } from '../once.ts';
import { CONCURRENCY, VISIBILITY_TIMEOUT_SECONDS } from './environment.ts';
import { startSqsWorkerProcess } from './worker-process.ts';

const self = startSqsWorkerProcess();

const sqsWorker = createSqsWorker(
  {
    client: self.client,
    queueUrl: self.queueUrl,
    handleOnce: createOnce(self),
    schema: z.object({ id: z.string(), cents: z.number() }),
    // An order that was sent twice is two messages; its id says that they are the same.
    key: (message) => message.MessageAttributes?.['OrderId']?.StringValue,
    concurrency: CONCURRENCY,
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
    waitTimeSeconds: 1,
    onFailed: 'keep',
  },
  (order, attempt) => fulfil(self, order, attempt.childKey('charge')),
);

self.onStop(async () => {
  await sqsWorker.stop();
});
await self.wordToBegin();
await sqsWorker.start();
self.tellBegun();
