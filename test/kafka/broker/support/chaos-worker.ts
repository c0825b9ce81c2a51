import { setTimeout as sleep } from 'node:timers/promises';
import { createHandleOnce, RetryableError } from 'handle-once';
import { type KafkaEvent, onceEachMessage } from 'handle-once/kafka';
import postgres from 'postgres';
import { createKafkaClient } from '../../../support/kafka-client.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';
import { seeded } from './seeded.ts';

/** A consumer in a process of its own, which leaves its group on SIGTERM. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as ChaosSettings;
const { worker, topic, groupId, fromBeginning, failing, handlerMs } = settings;

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
const kafka = createKafkaClient([...settings.brokers]);
const consumer = kafka.consumer({
  groupId,
  sessionTimeout: settings.sessionTimeoutMs,
  heartbeatInterval: 300,
  maxWaitTimeInMs: 100,
  // The client's own wait grows to seconds while a broker is away.
  retry: { initialRetryTime: 100, maxRetryTime: 1_000 },
});
const admin = kafka.admin();

function report(what: WorkerReport): void {
  process.send?.(what);
}

function reportEvent(event: KafkaEvent): void {
  if (event.type !== 'acknowledged' && event.type !== 'replayed' && event.type !== 'kept') return;
  const place = { partition: event.partition, offset: Number(event.offset) };
  if (event.type === 'kept') report({ type: 'kept', ...place, reason: event.reason });
  else report({ type: event.type, ...place });
}

consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment, isLeader } }) => {
  report({ type: 'joined', partitions: memberAssignment[topic] ?? [], isLeader });
});
consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
  for (const { partition, offset } of payload.topics.flatMap(({ partitions }) => partitions)) {
    // The client gives partitions as strings here, whatever its types say.
    report({ type: 'committed', partition: Number(String(partition)), offset: Number(offset) });
  }
});
consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
  report({ type: 'crashed', error: `${error.name}: ${error.message}`, restart });
});

process.once('SIGTERM', () => {
  void consumer
    .disconnect()
    .then(() => sql.end())
    .then(() => process.exit(0));
});
// The process that started it has died.
process.once('disconnect', () => process.exit(1));

if (!fromBeginning) await admin.connect();
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning });
await consumer.run(
  onceEachMessage(
    {
      consumer,
      groupId,
      handleOnce,
      fromBeginning,
      admin: fromBeginning ? undefined : admin,
      ordering: settings.ordering,
      onFailed: 'acknowledge',
      drainMs: 100,
      onEvent: reportEvent,
    },
    async ({ partition, message }, attempt) => {
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
  ),
);
