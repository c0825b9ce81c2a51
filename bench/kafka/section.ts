import { Kafka, logLevel } from 'kafkajs';
import type postgres from 'postgres';
import { startKafka } from '../../test/support/services/kafka.ts';
import { built } from '../built.ts';
import { type Comparison, compareTo, withCosts } from '../compare.ts';
import { costMeter } from '../costs.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import { BARE_BATCH, bareContender } from './bare.ts';
import { consume, type Course } from './consume.ts';
import { batchContender, handleOnceContender } from './handle-once.ts';
import { fillTopic } from './topic.ts';
import { tutorialContender } from './tutorial.ts';

const IN_FLIGHT = 50;

/** Whole consumers of a full topic, on a real broker. */
export const kafka: Section = async ({ postgresUrl, sizes }) => {
  const broker = await startKafka();
  const client = new Kafka({ brokers: broker.url.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  try {
    return await withDatabase(postgresUrl, async ({ sql }) => {
      await prepare(sql);
      const comparisons: Comparison[] = [];
      for (const partitions of sizes.brokerPartitions) {
        comparisons.push(...(await compareAt(partitions, { kafka: client, admin, sql }, sizes)));
      }
      const { brokerRounds: rounds, brokerMessages: messages } = sizes;
      return { facts: { rounds, messages }, comparisons };
    });
  } finally {
    await admin.disconnect();
    await broker.stop();
  }
};

async function compareAt(
  partitions: number,
  course: Omit<Course, 'topic' | 'spent'>,
  { brokerMessages, brokerRounds }: Sizes,
): Promise<Comparison[]> {
  const { kafka: client, admin, sql } = course;
  const topic = await fillTopic(client, admin, partitions, brokerMessages);
  const spent = await costMeter(sql);
  const ours = [
    await handleOnceContender(sql, 'partition', partitions),
    await handleOnceContender(sql, 'key', IN_FLIGHT),
    await batchContender(sql, partitions),
  ];
  const contenders = [
    bareContender(partitions),
    BARE_BATCH,
    await tutorialContender(sql, partitions),
    ...ours,
  ];
  const runners = contenders.map((contender) => ({
    name: contender.name,
    run: () => consume({ ...course, topic, spent }, contender),
  }));
  // Tables that are in use: an empty one gets plans that a real one would not.
  await interleave(runners, 1);
  await sql`vacuum analyze`;
  const measured = await interleave(runners, brokerRounds);
  await admin.deleteTopics({ topics: [topic.name] });
  const samples = measured.get('fresh') ?? [];
  return ours.map(({ name }) => {
    const setting = { handler: 'one INSERT', partitions, of: name };
    return withCosts(compareTo(setting, samples, name), measured, 'fresh');
  });
}

async function prepare(sql: postgres.Sql): Promise<void> {
  const { migrate } = await built.core();
  await migrate(sql);
  await sql`create table effects (order_key text not null, detail text not null)`;
}
