/**
 * The same for a receive loop that you already have: `handleMessage` handles, and deletes or leaves, one message. An
 * order that fails permanently stays in the queue, whose redrive policy moves it to a dead-letter queue.
 *
 * DATABASE_URL=... QUEUE_URL=... npx tsx examples/sqs-own-loop.ts
 */
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, migrate } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { onceEachSqsMessage } from 'handle-once/sqs';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records
const client = new SQSClient();
const queueUrl = required('QUEUE_URL');
const handleOnce = createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 });

const handleMessage = onceEachSqsMessage(
  { client, queueUrl, handleOnce, schema: Order },
  (order, attempt) => {
    console.log(`charge ${order.cents} cents for ${order.id}, idempotency key ${attempt.childKey('charge')}`);
  },
);

const stopping = new AbortController();
process.once('SIGTERM', () => {
  stopping.abort();
});

console.log('started');
while (!stopping.signal.aborted) {
  // It is not aborted: messages on their way in a broken-off receive stay invisible for a while.
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      ...{ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 2 },
      // A redriven message carries its identity in them.
      ...{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All'] },
    }),
  );
  const handled = await Promise.all(Messages.map((message) => handleMessage(message)));
  for (const { action, outcome } of handled) console.log(action, outcome?.state ?? 'not handled');
}

client.destroy();
await maintenance.stop();
await handleOnce.close();
await sql.end({ timeout: 5 });
