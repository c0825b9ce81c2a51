import { fileURLToPath } from 'node:url';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useKafka } from '../support/kafka.ts';
import { createQueue, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { until } from '../support/until.ts';
import { type DieAt, EFFECTS, type EffectsSettings, type Guard } from './effects/settings.ts';
import { runProcess } from './run-process.ts';

const { sql, url: databaseUrl } = useDatabase();
const client = useSqs('elasticmq');
const kafka = useKafka();
const program = fileURLToPath(new URL('effects/worker.ts', import.meta.url));

beforeAll(() => sql`create table calls (scope text, effect text, key text)`);

interface Source {
  readonly source: EffectsSettings['source'];
  /** Delivers the message, and does so again. */
  readonly deliver: () => Promise<unknown>;
}

async function queue(): Promise<Source> {
  // What the dead worker has received stays hidden: the second delivery is another copy.
  const queueUrl = await createQueue(client, { visibilityTimeoutSeconds: 120 });
  return {
    source: { broker: 'sqs', endpoint: sqsEndpoint('elasticmq'), queueUrl },
    deliver: () => client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '"order-7"' })),
  };
}

async function topic(): Promise<Source> {
  const name = await kafka.createTopic();
  let isThere = false;
  return {
    source: { broker: 'kafka', brokers: kafka.brokers(), topic: name, groupId: kafka.groupId() },
    async deliver() {
      // The group has not committed it: the next member is given it again.
      if (!isThere) await kafka.produce(name, [{ value: 'order-7' }]);
      isThere = true;
    },
  };
}

/** Of each effect, in order: the calls of its provider, and how often it has happened. */
async function countsOf(scope: string): Promise<{ readonly calls: number[]; readonly effects: number[] }> {
  const rows = await sql<{ effect: string; calls: number; effects: number }[]>`
    select effect, count(*)::integer as calls, count(distinct coalesce(key, ctid::text))::integer as effects
    from calls where scope = ${scope} group by effect`;
  const found = EFFECTS.map((effect) => rows.find((row) => row.effect === effect));
  return { calls: found.map((row) => row?.calls ?? 0), effects: found.map((row) => row?.effects ?? 0) };
}

async function hasSucceeded(scope: string): Promise<boolean> {
  const rows = await sql`
    select from handle_once.records where starts_with(scope, ${scope}) and state = 'succeeded'`;
  return rows.length === 1;
}

type Counts = readonly [summary: number, charge: number, mail: number];

describe.each([
  ['SQS', queue],
  ['Kafka', topic],
])('A worker on %s that is killed between two of three effects', (broker, create) => {
  test.concurrent.for<[guard: Guard, dieAt: DieAt, calls: Counts, effects: Counts]>([
    ['nothing', 'after-charge', [2, 2, 1], [2, 2, 1]],
    ['childKey', 'after-charge', [2, 2, 1], [1, 1, 1]],
    ['step', 'after-charge', [1, 1, 1], [1, 1, 1]],
    ['step', 'in-charge', [1, 2, 1], [1, 1, 1]],
  ])(
    'guarded by %s, %s: calls %j, effects %j',
    async ([guard, dieAt, calls, effects], { onTestFinished }) => {
      const { source, deliver } = await create();
      const scope = `${broker}-${guard}-${dieAt}`;
      const settings = { source, databaseUrl, scope, guard } satisfies EffectsSettings;
      await deliver();
      expect(await runProcess(program, { ...settings, dieAt }, onTestFinished).ended).toBe('SIGKILL');
      await sql`update handle_once.records set live_until = now() - interval '1 second' where starts_with(scope, ${scope})`;
      await deliver();
      runProcess(program, settings, onTestFinished);
      await until(() => hasSucceeded(scope));
      expect(await countsOf(scope)).toEqual({ calls, effects });
    },
  );
});
