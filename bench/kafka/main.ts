/**
 * Compares a consumer wrapped by handle-once with a bare one and with tutorial code, on a real broker, interleaved in
 * one run. `npm run bench:kafka`; `npm run bench:kafka -- --quick` for a short run. DATABASE_URL and KAFKA_BROKERS for
 * services of your own.
 */
import { migrate } from 'handle-once';
import { Kafka, logLevel } from 'kafkajs';
import type postgres from 'postgres';
import { startKafka } from '../../test/support/services/kafka.ts';
import { withDatabase } from '../database.ts';
import { bareContender } from './bare.ts';
import { consume, type Consumed } from './consume.ts';
import { handleOnceContender } from './handle-once.ts';
import { report, type Result } from './report.ts';
import { fillTopic, type Topic } from './topic.ts';
import { tutorialContender } from './tutorial.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 3;
const MESSAGES = quick ? 4_000 : 20_000;
const PARTITIONS = 4;
const IN_FLIGHT = 50;

const broker = await startKafka();
const kafka = new Kafka({ brokers: broker.url.split(','), logLevel: logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
const topic = await fillTopic(kafka, admin, PARTITIONS, MESSAGES);
try {
  await withDatabase(async (sql) => {
    const results = await compare(sql, topic);
    console.log(
      `Node ${process.version}, ${MESSAGES} messages, ${PARTITIONS} partitions, ${ROUNDS} rounds, medians\n`,
    );
    console.log(report(results));
  });
} finally {
  await admin.deleteTopics({ topics: [topic.name] });
  await admin.disconnect();
  await broker.stop();
}

/** The first round is not counted: it fills the tables, and an empty one gets plans that a real one would not. */
async function compare(sql: postgres.Sql, topic: Topic): Promise<Result[]> {
  await migrate(sql);
  await sql`create table effects (order_key text not null, detail text not null)`;
  const contenders = [
    bareContender(PARTITIONS),
    await tutorialContender(sql, PARTITIONS),
    handleOnceContender(sql, 'partition', PARTITIONS),
    handleOnceContender(sql, 'key', IN_FLIGHT),
  ];
  const results = contenders.map((contender) => ({ contender, runs: [] as Consumed[] }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { contender, runs } of results) {
      const consumed = await consume({ kafka, admin, sql, topic }, contender);
      if (round > 0) runs.push(consumed);
    }
    await sql`vacuum analyze`;
  }
  return results;
}
