/** Consumes a whole topic in a process of its own, on the Node that its client needs. Its course is its argument. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { connect } from '../database.ts';
import type { Course, Start } from './course.ts';

const course = JSON.parse(process.argv[2] ?? '{}') as Course;
const { client, brokers, databaseUrl, topic, messages, groupId } = course;
const { start } = (await import(new URL(`${client}.ts`, import.meta.url).href)) as { start: Start };
const sql = connect(databaseUrl);
const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
await admin.connect();

async function committed(): Promise<number> {
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}

let startedAt = 0;
let done = 0;
const running = await start(course, async ({ key, value }) => {
  startedAt ||= performance.now();
  await sql`insert into effects (order_key, detail) values (${String(key)}, ${String(value)})`;
  done += 1;
});
while (done < messages || (await committed()) < messages) await sleep(10);
const seconds = (performance.now() - startedAt) / 1_000;
await running.stop();
await Promise.all([admin.disconnect(), sql.end()]);
process.send?.({ fresh: messages / seconds });
process.disconnect();
