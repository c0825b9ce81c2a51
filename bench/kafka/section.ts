import { type Admin, Kafka, logLevel } from 'kafkajs';
import type postgres from 'postgres';
import { startKafka } from '../../test/support/services/kafka.ts';
import { built } from '../built.ts';
import { compareTo } from '../compare.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { bareContender } from './bare.ts';
import { consume } from './consume.ts';
import type { Contender } from './contender.ts';
import { handleOnceContender } from './handle-once.ts';
import { fillTopic } from './topic.ts';
import { tutorialContender } from './tutorial.ts';

const PARTITIONS = 4;
const IN_FLIGHT = 50;

/** Whole consumers of a full topic, on a real broker. */
export const kafka: Section = async ({ postgresUrl, sizes: { brokerMessages, brokerRounds } }) => {
  const broker = await startKafka();
  const client = new Kafka({ brokers: broker.url.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  const topic = await fillTopic(client, admin, PARTITIONS, brokerMessages);
  try {
    return await withDatabase(postgresUrl, async ({ sql }) => {
      const ours = [
        await handleOnceContender(sql, 'partition', PARTITIONS),
        await handleOnceContender(sql, 'key', IN_FLIGHT),
      ];
      const contenders = [...(await others(sql)), ...ours];
      const runners = contenders.map((contender) => ({
        name: contender.name,
        run: async () => ({ fresh: await consume({ kafka: client, admin, sql, topic }, contender) }),
      }));
      // Tables that are in use: an empty one gets plans that a real one would not.
      await interleave(runners, 1);
      await sql`vacuum analyze`;
      const samples = (await interleave(runners, brokerRounds)).get('fresh') ?? [];
      return {
        facts: { rounds: brokerRounds, messages: brokerMessages, partitions: PARTITIONS },
        comparisons: ours.map(({ name }) => compareTo({ handler: 'one INSERT', of: name }, samples, name)),
      };
    });
  } finally {
    await stop(admin, topic.name);
    await broker.stop();
  }
};

async function others(sql: postgres.Sql): Promise<Contender[]> {
  const { migrate } = await built.core();
  await migrate(sql);
  await sql`create table effects (order_key text not null, detail text not null)`;
  return [bareContender(PARTITIONS), await tutorialContender(sql, PARTITIONS)];
}

async function stop(admin: Admin, topic: string): Promise<void> {
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
}
