import { setTimeout as sleep } from 'node:timers/promises';
import { createHandleOnce, RetryableError } from 'handle-once';
import type { KafkaEvent } from 'handle-once/kafka';
import postgres from 'postgres';
import { chaosConsumer } from './chaos-consumer.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';
import { seeded } from './seeded.ts';

/** A consumer in a process of its own, which leaves its group on SIGTERM. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as ChaosSettings;
const { worker, topic, groupId, failing, handlerMs } = settings;

const random = seeded(settings.seed * 1_000 + worker);
const sql = postgres(settings.databaseUrl, { max: 4 });
const handleOnce = createHandleOnce({
  sql,
  scope: settings.scope,
  leaseMs: settings.leaseMs,
  maxAttempts: 1_000,
  backoff: { baseMs: 0, maxMs: 50 },
});
const { scope } = handleOnce.inScope({ kind: 'kafka', name: groupId }).settings;

function report(what: WorkerReport): void {
  process.send?.(what);
}

function reportEvent(event: KafkaEvent): void {
  if (event.type !== 'acknowledged' && event.type !== 'replayed' && event.type !== 'kept') return;
  const place = { partition: event.partition, offset: Number(event.offset) };
  if (event.type === 'kept') report({ type: 'kept', ...place, reason: event.reason });
  else report({ type: event.type, ...place });
}

const consumer = await chaosConsumer({
  settings,
  handleOnce,
  report,
  onEvent: reportEvent,
  handler: async ({ partition, message }, attempt) => {
    const { offset } = message;
    const [run] = await sql<{ id: number }[]>`
        insert into runs (worker, partition, "offset", state) values (${worker}, ${partition}, ${offset}, (
          select state from handle_once.records
          where scope = ${scope} and key = ${`${topic}-${partition}-${offset}`}
        )) returning id`;
    const [least, most] = handlerMs;
    const heedsSignal = random() < 0.5;
    const signal = heedsSignal ? { signal: attempt.signal } : {};
    await sleep(least + random() * (most - least), undefined, signal);
    if (random() < failing) throw new RetryableError('again');
    await sql`
        insert into effects (partition, "offset", message_key, effect_key)
        values (${partition}, ${offset}, ${String(message.key)}, ${attempt.childKey('effect')})
        on conflict (effect_key) do nothing`;
    await sql`update runs set ended_at = clock_timestamp() where id = ${run?.id ?? 0}`;
  },
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
