import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useEmptyDatabase } from '../../support/database.ts';
import { kafkaBrokers, useKafka } from '../../support/kafka.ts';
import { type Example, startDemo } from '../support/example.ts';
import { noProcessIsLeftOf, temporaryDirectory } from '../support/leftovers.ts';

/** The demo ends by itself when it makes no progress. */
const DEMO_TIMEOUT_MS = 300_000;

const { admin } = useKafka();
const { sql, url } = useEmptyDatabase();

function startWithBorrowedServices(): Promise<Example> {
  const environment = { KAFKA_BROKERS: kafkaBrokers().join(','), DATABASE_URL: url };
  return startDemo(environment, ['kafka']);
}

async function expectNothingLeftOf(demo: Example): Promise<void> {
  await noProcessIsLeftOf(demo.pid);
  const { groups } = await admin.listGroups();
  expect(groups.filter(({ groupId }) => groupId.startsWith('demo_'))).toEqual([]);
  expect((await admin.listTopics()).filter((topic) => topic.startsWith('demo_'))).toEqual([]);
  expect(await sql`select nspname from pg_namespace where nspname like 'demo%'`).toEqual([]);
}

it(
  'shows that no charge is lost or doubled while the group loses and gains a worker, and cleans up',
  { timeout: DEMO_TIMEOUT_MS },
  async () => {
    const demo = await startWithBorrowedServices();

    expect(await demo.exitCode(), demo.output()).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/messages sent +338 +338\n/);
    expect(output).toMatch(/charges +300 +\d+\n +orders lost +0 +\d+\n +orders doubled +0 +[1-9]\d*\n/);
    expect(output).toMatch(/emails +3\d\d +\d+\n +orders lost +0 +\d+\n/);
    expect(output).toMatch(/takeovers +[1-9]\d* /);
    expect(output).toMatch(/records succeeded +300 /);
    // Each got messages, in both trials: the dead one, the one that has its partitions, and the one that joined.
    expect(output.match(/deliveries by worker: 1: \d+, 2: \d+, 3: \d+\n/g), output).toHaveLength(2);
    await expectNothingLeftOf(demo);
  },
);

it(
  'cleans up in services that are not its own when it is interrupted',
  { timeout: DEMO_TIMEOUT_MS },
  async () => {
    const demo = await startWithBorrowedServices();
    await demo.prints('killed with SIGKILL');
    demo.signal('SIGINT');

    expect(await demo.exitCode()).toBe(1);
    expect(demo.output()).toContain('ended by SIGINT');
    await expectNothingLeftOf(demo);
  },
);

it('says in one line that no Kafka answers, and leaves nothing behind', async () => {
  const temporary = temporaryDirectory();
  const environment = { TMPDIR: temporary, DATABASE_URL: '', KAFKA_BROKERS: '127.0.0.1:1' };
  const demo = await startDemo(environment, ['kafka']);

  expect(await demo.exitCode()).toBe(1);
  expect(demo.output()).toMatch(/^.*starting Kafka\nno Kafka answers at KAFKA_BROKERS, 127\.0\.0\.1:1\n$/);
  await noProcessIsLeftOf(demo.pid);
  expect(readdirSync(temporary).filter((name) => name.startsWith('handle-once'))).toEqual([]);
});
