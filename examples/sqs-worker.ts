/**
 * A worker for an SQS queue: orders that fit a schema are charged once, others go to a dead-letter queue.
 *
 *     DATABASE_URL=... QUEUE_URL=... DEAD_LETTER_QUEUE_URL=... npx tsx examples/sqs-worker.ts
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, migrate } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { createSqsWorker } from 'handle-once/sqs';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records

const client = new SQSClient();
const worker = createSqsWorker(
  {
    client,
    queueUrl: required('QUEUE_URL'),
    // The lease has to be shorter than the queue's visibility timeout, which is 30 seconds unless you set it.
    handleOnce: createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 }),
    schema: Order,
    concurrency: 20,
    onFailed: { deadLetterQueueUrl: required('DEAD_LETTER_QUEUE_URL') },
  },
  (order, attempt) => charge(order, attempt.childKey('charge')),
);

/** Stands for a call of a payment provider, which charges once per idempotency key. */
function charge(order: z.infer<typeof Order>, idempotencyKey: string): { chargeId: string } {
  console.log(`charge ${order.cents} cents for ${order.id}`);
  return { chargeId: idempotencyKey.slice(0, 12) };
}

async function stop(): Promise<void> {
  const { abandoned } = await worker.stop();
  console.log(abandoned === 0 ? 'stopped' : `stopped, with ${abandoned} handlers still running`);
  client.destroy();
  await maintenance.stop();
  await sql.end({ timeout: 5 });
}

process.once('SIGTERM', () => void stop());
await worker.start();
console.log('started');
