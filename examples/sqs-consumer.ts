/**
 * The same with sqs-consumer, which receives, keeps messages invisible and deletes them: `onceEachConsumerMessage`
 * makes the options of its `Consumer`.
 *
 *     DATABASE_URL=... QUEUE_URL=... DEAD_LETTER_QUEUE_URL=... npx tsx examples/sqs-consumer.ts
 */
import { once } from 'node:events';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, migrate } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { onceEachConsumerMessage } from 'handle-once/sqs';
import postgres from 'postgres';
import { Consumer } from 'sqs-consumer';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records
const sqs = new SQSClient();

const consumer = Consumer.create(
  onceEachConsumerMessage(
    {
      consumerOptions: {
        queueUrl: required('QUEUE_URL'),
        sqs,
        batchSize: 10,
        waitTimeSeconds: 5,
        pollingCompleteWaitTimeMs: 20_000, // without it `stopped` comes while handlers run
      },
      handleOnce: createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 }),
      schema: Order,
      onFailed: { deadLetterQueueUrl: required('DEAD_LETTER_QUEUE_URL') },
      onEvent: (event) => {
        if (event.type === 'kept') console.log(`kept ${event.messageId}: ${event.reason}`);
      },
    },
    (order, attempt) => {
      console.log(
        `charge ${order.cents} cents for ${order.id}, idempotency key ${attempt.childKey('charge')}`,
      );
    },
  ),
);

consumer.on('error', (error) => {
  console.error(error.message); // of the queue: it goes on by itself
});

async function stop(): Promise<void> {
  const stopped = once(consumer, 'stopped');
  consumer.stop();
  await stopped;
  sqs.destroy();
  await maintenance.stop();
  await sql.end({ timeout: 5 });
  console.log('stopped');
}

process.once('SIGTERM', () => void stop());
consumer.start();
console.log('started');
