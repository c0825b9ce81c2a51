import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, createHandleOnce, RetryableError } from 'handle-once';
import type { KafkaDelivery, KafkaEvent, KafkaHandler } from 'handle-once/kafka';
import postgres from 'postgres';
import { chaosConsumer } from './chaos-consumer.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';
import { seeded } from './seeded.ts';

/** A consumer in a process of its own, which leaves its group on SIGTERM. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as ChaosSettings;
const { worker, topic, groupId, failing, handlerMs, batchSize } = settings;

const random = seeded(settings.seed * 1_000 + worker);
// A handler in a transaction holds a connection: two more than there are handlers.
const sql = postgres(settings.databaseUrl, { max: 12 });
const handleOnce = createHandleOnce({
  sql,
  scope: settings.scope,
  leaseMs: settings.leaseMs,
  maxAttempts: 1_000,
  backoff: { baseMs: 0, maxMs: 50 },
});
const { scope } = handleOnce.inScope({ kind: 'kafka', name: groupId }).settings;

type Delivery = KafkaDelivery<Buffer | null>;

function report(what: WorkerReport): void {
  process.send?.(what);
}

function reportEvent(event: KafkaEvent): void {
  if (event.type !== 'acknowledged' && event.type !== 'replayed' && event.type !== 'kept') return;
  const place = { partition: event.partition, offset: Number(event.offset) };
  if (event.type === 'kept') report({ type: 'kept', ...place, reason: event.reason });
  else report({ type: event.type, ...place });
}

async function begin({ partition, message }: Delivery, together: number): Promise<number> {
  const { offset } = message;
  const [run] = await sql<{ id: number }[]>`
    insert into runs (worker, partition, "offset", together, state)
    values (${worker}, ${partition}, ${offset}, ${together}, (
      select state from handle_once.records
      where scope = ${scope} and key = ${`${topic}-${partition}-${offset}`}
    )) returning id`;
  return run?.id ?? 0;
}

async function handle(
  deliveries: readonly Delivery[],
  attempts: readonly Attempt[],
  target: postgres.Sql | postgres.TransactionSql,
): Promise<void> {
  const runs = await Promise.all(deliveries.map((delivery) => begin(delivery, deliveries.length)));
  const [least, most] = handlerMs;
  const heedsSignal = random() < 0.5;
  const signal = heedsSignal ? { signal: attempts[0]?.signal } : {};
  await sleep(least + random() * (most - least), undefined, signal);
  if (deliveries.some(() => random() < failing)) throw new RetryableError('again');
  const effects = deliveries.map(({ partition, message: { offset, key } }, index) => ({
    ...{ partition, offset, message_key: String(key) },
    // In a transaction no effect needs a key: each one is seen.
    effect_key: batchSize === undefined ? attempts[index]?.childKey('effect') : `run-${runs[index]}`,
  }));
  await target`insert into effects ${sql(effects)} on conflict (effect_key) do nothing`;
  await target`update runs set ended_at = clock_timestamp() where id = any(${runs})`;
}

const single: KafkaHandler<Buffer | null> = (delivery, attempt) => handle([delivery], [attempt], sql);
const batched = { handleOnce, inTransaction: true, batch: { size: batchSize } };

const consumer = await chaosConsumer({
  ...{ settings, report, onEvent: reportEvent },
  ...(batchSize === undefined
    ? { handler: single, handling: { handleOnce } }
    : { handler: handle as never, handling: batched }),
});

process.once('SIGTERM', () => {
  void consumer
    .end()
    .then(() => sql.end())
    .then(() => process.exit(0));
});
// The process that started it has died.
process.once('disconnect', () => process.exit(1));

await consumer.start();
