import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';
import type postgres from 'postgres';
import { installedNode } from '../../test/support/installed-node.ts';
import { NOT_INSTALLED, OTHER_CLIENTS } from '../../test/kafka/broker/support/members/installed-clients.ts';
import { startKafka } from '../../test/support/services/kafka.ts';
import { NoServiceError } from '../../test/support/services/service.ts';
import { built } from '../built.ts';
import { compareWithBase, type Comparison } from '../compare.ts';
import { withDatabase } from '../database.ts';
import { interleave, type Rates } from '../interleave.ts';
import { fillTopic } from '../kafka/topic.ts';
import type { Section } from '../section.ts';
import type { Sizes } from '../sizes.ts';
import { type ClientName, type Course, WAYS } from './course.ts';

const PROGRAM = fileURLToPath(new URL('consume-process.ts', import.meta.url));
const CLIENTS: readonly ClientName[] = ['kafkajs', 'confluent', 'platformatic'];

/** Whole consumers of a full topic, by client: each in a process of its own, on the Node that it needs. */
export const kafkaClients: Section = async ({ postgresUrl, sizes }) => {
  const missing = OTHER_CLIENTS.filter((client) => client.missing === NOT_INSTALLED);
  if (missing.length > 0)
    throw new NoServiceError('the clients are not installed: npm run test:kafka-clients installs them');
  const node24 = installedNode(24);
  const broker = await startKafka();
  const brokers = broker.url.split(',');
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  try {
    return await withDatabase(postgresUrl, async ({ sql, url: databaseUrl }) => {
      await prepare(sql);
      const comparisons: Comparison[] = [];
      for (const partitions of sizes.brokerPartitions) {
        comparisons.push(await compareAt(partitions, { kafka, sql, brokers, databaseUrl, node24 }, sizes));
      }
      const { brokerMessages: messages } = sizes;
      const rounds = roundsOf(sizes);
      const nodes = `${process.version}; platformatic: v24`;
      return { facts: { rounds, messages, nodes }, comparisons };
    });
  } finally {
    await broker.stop();
  }
};

/** Nine contenders, each a process of its own: five rounds take a quarter of an hour. */
function roundsOf({ brokerRounds }: Sizes): number {
  return Math.min(3, brokerRounds);
}

interface Ground extends Pick<Course, 'brokers' | 'databaseUrl'> {
  readonly kafka: Kafka;
  readonly sql: postgres.Sql;
  readonly node24: string;
}

async function compareAt(
  partitions: number,
  { kafka, sql, brokers, databaseUrl, node24 }: Ground,
  sizes: Sizes,
): Promise<Comparison> {
  const { brokerMessages: messages } = sizes;
  const admin = kafka.admin();
  await admin.connect();
  const { name: topic } = await fillTopic(kafka, admin, partitions, messages);
  const runners = CLIENTS.flatMap((client) =>
    WAYS.map((way) => ({
      name: nameOf(client, way),
      async run() {
        await sql`truncate effects`;
        const groupId = `bench-${randomBytes(4).toString('hex')}`;
        const course: Course = { client, way, brokers, databaseUrl, topic, partitions, messages, groupId };
        const rates = await consume(course, client === 'platformatic' ? node24 : process.execPath);
        const [{ count }] = await sql<[{ count: number }]>`select count(*)::int as count from effects`;
        if (count !== messages) throw new Error(`${nameOf(client, way)} has ${count} effects of ${messages}`);
        return rates;
      },
    })),
  );
  // Tables that are in use: an empty one gets plans that a real one would not.
  await interleave(runners, 1);
  await sql`vacuum analyze`;
  const measured = await interleave(runners, roundsOf(sizes));
  await admin.deleteTopics({ topics: [topic] });
  await admin.disconnect();
  const setting = { handler: 'one INSERT', partitions };
  return compareWithBase(setting, measured.get('fresh') ?? [], nameOf('kafkajs', 'bare'));
}

function nameOf(client: ClientName, way: Course['way']): string {
  return way === 'bare' ? `${client}, bare` : `${client}, handleOnce by ${way}`;
}

async function consume(course: Course, execPath: string): Promise<Rates> {
  const child = fork(PROGRAM, [JSON.stringify(course)], { execPath, execArgv: ['--import', 'tsx'] });
  let rates: Rates | undefined;
  child.on('message', (message) => {
    rates = message as Rates;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (rates === undefined) throw new Error(`the consumer of ${course.client} ended with code ${code}`);
  return rates;
}

async function prepare(sql: postgres.Sql): Promise<void> {
  const { migrate } = await built.core();
  await migrate(sql);
  await sql`create table effects (order_key text not null, detail text not null)`;
}
