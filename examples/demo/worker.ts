import { createHandleOnce } from 'handle-once';
import { createSqsWorker } from 'handle-once/sqs';
import * as z from 'zod';
import { CONCURRENCY, LEASE_MS, VISIBILITY_TIMEOUT_SECONDS } from './environment.ts';
import { fulfil } from './fulfil.ts';
import { onStop, startWorkerProcess } from './worker-process.ts';

const { worker, sql, client, queueUrl, recordsSchema } = startWorkerProcess();
const writing: Promise<unknown>[] = [];

const handleOnce = createHandleOnce({
  sql,
  scope: 'orders',
  databaseSchema: recordsSchema,
  leaseMs: LEASE_MS,
  onEvent(event) {
    if (event.type !== 'replayed') return;
    writing.push(sql`insert into replays (order_id, worker) values (${event.key}, ${worker})`.execute());
  },
});

const sqsWorker = createSqsWorker({
  client,
  queueUrl,
  handleOnce,
  schema: z.object({ id: z.string(), cents: z.number() }),
  // An order that was sent twice is two messages; its id says that they are the same.
  key: (message) => message.MessageAttributes?.['OrderId']?.StringValue,
  concurrency: CONCURRENCY,
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  waitTimeSeconds: 1,
  handler: (order, attempt) => fulfil(sql, worker, order, attempt.childKey('charge')),
});

onStop(async () => {
  await sqsWorker.stop();
  await Promise.all(writing);
  await sql.end({ timeout: 5 });
});
await sqsWorker.start();
process.send?.('ready');
