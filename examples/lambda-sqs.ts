/**
 * A Lambda function for an SQS queue: orders that fit a schema are charged once, and only what is not settled is
 * delivered again.
 *
 * Its event source mapping needs `ReportBatchItemFailures`, the queue a visibility timeout of six times the function's
 * timeout and a redrive policy, which moves what failed permanently to its dead-letter queue, and the lease has to be
 * shorter than the function's timeout. The tables are made by a deployment that calls `migrate`, and a schedule runs
 * `npx handle-once maintain`, which deletes expired records.
 */
import { createHandleOnce } from 'handle-once';
import { onceEachSqsRecord } from 'handle-once/lambda';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

// Made once per execution environment, which handles one invocation at a time.
const sql = postgres(required('DATABASE_URL'), { max: 2, fetch_types: false });
const handleOnce = createHandleOnce({ sql, scope: 'billing', leaseMs: 5_000 });

export const handler = onceEachSqsRecord({ handleOnce, schema: Order }, (order, attempt) => {
  // Here you would charge the card, with this key: the provider then charges once, however often you ask.
  console.log(`charge ${order.cents} cents for ${order.id}, key ${attempt.childKey('charge').slice(0, 12)}`);
});
