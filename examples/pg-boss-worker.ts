/**
 * A pg-boss worker. pg-boss runs a job again when its worker died, when it took longer than `expireInSeconds` (while
 * the first run goes on), and when it was sent twice: the record makes each of them one.
 *
 *     DATABASE_URL=... npx tsx examples/pg-boss-worker.ts
 */
import { type Attempt, createHandleOnce, migrate } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import PgBoss from 'pg-boss';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records
const handleOnce = createHandleOnce({
  sql,
  scope: 'billing',
  schema: Order,
  leaseMs: 5_000,
  maxAttempts: 3,
  backoff: () => 0, // pg-boss has its own
});

const boss = new PgBoss(required('DATABASE_URL'));
boss.on('error', (error) => {
  console.error(error.message);
});
await boss.start();
await boss.createQueue('failed-orders');
await boss.createQueue('orders', {
  name: 'orders',
  // More than `maxAttempts`, and longer than the lease: some of them only wait for another worker.
  retryLimit: 8,
  retryDelay: 1,
  deadLetter: 'failed-orders',
});

await boss.work('orders', { includeMetadata: true, pollingIntervalSeconds: 0.5 }, async ([job]) => {
  if (job === undefined) return;
  // Who sends an order twice under one singleton key makes two jobs: the id of a job dedupes only its own runs.
  const key = job.singletonKey ?? job.id;
  const outcome = await handleOnce(key, job.data, charge);
  // pg-boss completes a job whose handler returns, and retries one whose handler throws. One that failed permanently
  // is answered from its record until its tries are used up, and then it is in the dead-letter queue.
  if (outcome.state === 'succeeded') return outcome.result;
  const why = outcome.error?.message ?? 'another worker has it';
  throw new Error(`${outcome.state} (${outcome.reason}): ${why}`);
});

/** Stands for a call of a payment provider, which charges once per idempotency key. */
function charge(order: z.infer<typeof Order>, attempt: Attempt): { chargeId: string } {
  console.log(`charge ${order.cents} cents for ${order.id}`);
  return { chargeId: attempt.childKey('charge').slice(0, 12) };
}

async function stop(): Promise<void> {
  await boss.stop({ wait: true }); // waits for the handlers that run
  await maintenance.stop();
  await sql.end({ timeout: 5 });
  console.log('stopped');
}

process.once('SIGTERM', () => void stop());
console.log('started');
