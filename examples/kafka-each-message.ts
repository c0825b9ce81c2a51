/**
 * A consumer of a Kafka topic: orders that fit a schema are charged once, others go to a dead-letter topic. Orders of
 * one customer, who is the message's key, run in their order; those of different customers side by side.
 *
 *     DATABASE_URL=... KAFKA_BROKERS=... TOPIC=... DEAD_LETTER_TOPIC=... npx tsx examples/kafka-each-message.ts
 */
import { createHandleOnce, migrate } from 'handle-once';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { startMaintenance } from 'handle-once/operations';
import { Kafka, logLevel } from 'kafkajs';
import postgres from 'postgres';
import * as z from 'zod';
import { required } from './environment.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive() });

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
const brokers = required('KAFKA_BROKERS').split(',');
const topic = required('TOPIC');
const deadLetterTopic = required('DEAD_LETTER_TOPIC');

await migrate(sql);
const maintenance = startMaintenance({ sql }); // deletes expired records

const kafka = new Kafka({ clientId: 'billing', brokers, logLevel: logLevel.ERROR });
const consumerConfig = { groupId: 'billing', sessionTimeout: 10_000, heartbeatInterval: 1_000 };
const consumer = kafka.consumer(consumerConfig);
// Of dead letters. Not `idempotent`: with that kafkajs 2.2.4 can lose one of two that it sends side by side.
const producer = kafka.producer();
const admin = kafka.admin();
await Promise.all([consumer.connect(), producer.connect(), admin.connect()]);
// Without this a group that is new skips what is in the topic already.
await consumer.subscribe({ topic, fromBeginning: true });

await consumer.run(
  onceEachKafkaMessage(
    {
      consumer,
      groupId: consumerConfig.groupId,
      fromBeginning: true,
      // A lease shorter than the session: the next owner of a dead consumer's partitions need not wait for it.
      handleOnce: createHandleOnce({ sql, scope: 'orders', leaseMs: 5_000 }),
      schema: Order,
      ordering: 'key',
      concurrency: 20,
      onFailed: { deadLetterTopic, producer },
      // These two are looked at once, and a warning says what of them does not fit.
      admin,
      consumerConfig,
    },
    ({ payload: order }, attempt) => charge(order, attempt.childKey('charge')),
  ),
);

/** Stands for a call of a payment provider, which charges once per idempotency key. */
function charge(order: z.infer<typeof Order>, idempotencyKey: string): { chargeId: string } {
  console.log(`charge ${order.cents} cents for ${order.id}`);
  return { chargeId: idempotencyKey.slice(0, 12) };
}

async function stop(): Promise<void> {
  await consumer.disconnect(); // waits for the handlers that run, and commits what they have settled
  await Promise.all([producer.disconnect(), admin.disconnect()]);
  await maintenance.stop();
  await sql.end({ timeout: 5 });
  console.log('stopped');
}

process.once('SIGTERM', () => void stop());
// It joins again by itself after most errors. After one for which it does not, the process has nothing left to do.
consumer.on(consumer.events.CRASH, ({ payload: { restart } }) => {
  if (!restart) process.exit(1);
});
console.log('started');
