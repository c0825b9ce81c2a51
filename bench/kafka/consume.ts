import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import type postgres from 'postgres';
import { type CostMeter, costOfEach, costsAsRates } from '../costs.ts';
import type { Rates } from '../interleave.ts';
import type { Contender } from './contender.ts';
import type { Topic } from './topic.ts';

export interface Course {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly sql: postgres.Sql;
  readonly topic: Topic;
  readonly spent: CostMeter;
}

/** Consumes a whole topic in a group of its own, timed from the first message to the last commit. */
export async function consume(course: Course, contender: Contender): Promise<Rates> {
  const { kafka, admin, sql, topic } = course;
  const { messages } = topic;
  const groupId = `bench-${randomBytes(4).toString('hex')}`;
  await sql`truncate effects`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 50 });
  let startedAt = 0;
  let done = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  await consumer.connect();
  const before = await course.spent();
  await consumer.subscribe({ topics: [topic.name], fromBeginning: true });
  await consumer.run(
    contender.runConfig(consumer, groupId, async (some, transaction = sql) => {
      startedAt ||= performance.now();
      const rows = some.map(({ key, value }) => ({ order_key: String(key), detail: String(value) }));
      await transaction`insert into effects ${sql(rows)}`;
      done += some.length;
      if (done >= messages) finish();
    }),
  );
  await finished;
  while ((await committed(admin, groupId, topic.name)) < messages) await sleep(10);
  const seconds = (performance.now() - startedAt) / 1_000;
  const costs = costOfEach(before, await course.spent(), messages);
  await consumer.disconnect();
  const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from effects`;
  if (count !== messages) throw new Error(`${contender.name} has ${count} effects of ${messages} messages`);
  return { fresh: messages / seconds, ...costsAsRates('fresh', costs) };
}

async function committed(admin: Admin, groupId: string, topic: string): Promise<number> {
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}
