import { setTimeout as sleep } from 'node:timers/promises';
import { createHandleOnce, RetryableError } from 'handle-once';
import { onceEachMessage } from 'handle-once/kafka';
import postgres from 'postgres';
import { createKafkaClient } from '../../../support/kafka-client.ts';
import type { ChaosSettings } from './chaos-settings.ts';
import { seeded } from './seeded.ts';

/** A consumer in a process of its own, which leaves its group on SIGTERM. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as ChaosSettings;
const { worker, brokers, databaseUrl, topic, groupId, scope } = settings;

const random = seeded(worker);
const sql = postgres(databaseUrl, { max: 4 });
const consumer = createKafkaClient(brokers).consumer({
  groupId,
  sessionTimeout: 2_000,
  heartbeatInterval: 300,
  maxWaitTimeInMs: 100,
});
const options = {
  consumer,
  groupId,
  handleOnce: createHandleOnce({
    sql,
    scope,
    leaseMs: 3_000,
    maxAttempts: 50,
    backoff: { baseMs: 0, maxMs: 50 },
  }),
  ordering: 'key',
  onFailed: 'commit',
  fromBeginning: true,
  drainMs: 100,
} as const;

process.once('SIGTERM', () => {
  void consumer
    .disconnect()
    .then(() => sql.end())
    .then(() => process.exit(0));
});

await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run(
  onceEachMessage(options, async ({ payload }, attempt) => {
    const message = String(payload);
    const [run] = await sql<{ id: number }[]>`
      insert into runs (message, worker) values (${message}, ${worker}) returning id`;
    await sleep(10 + random() * 40, undefined, { signal: attempt.signal });
    if (random() < 0.03) throw new RetryableError('again');
    await sql`
      insert into effects (message, effect_key) values (${message}, ${attempt.childKey('effect')})
      on conflict (effect_key) do nothing`;
    await sql`update runs set ended = true where id = ${run?.id ?? 0}`;
  }),
);
