import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { messagesIn } from '../../../examples/demo/sqs/messages-in.ts';
import { useEmptyDatabase } from '../../support/database.ts';
import { createQueue, sqsEndpoint, useSqs } from '../../support/sqs.ts';
import { awsEnvironment, startDemo } from '../support/example.ts';
import { noProcessIsLeftOf, temporaryDirectory } from '../support/leftovers.ts';

/** The demo ends by itself when it makes no progress. */
const DEMO_TIMEOUT_MS = 300_000;

const DASHBOARD = /http:\/\/127\.0\.0\.1:\d+/;

const client = useSqs('elasticmq');
const { sql, url } = useEmptyDatabase();

it(
  'shows with nothing but itself that no charge is lost or doubled, then its dashboard, and leaves nothing behind',
  { timeout: DEMO_TIMEOUT_MS },
  async () => {
    const temporary = temporaryDirectory();
    const demo = await startDemo({ TMPDIR: temporary, DATABASE_URL: '', QUEUE_URL: '' }, ['dashboard']);
    await expect.poll(() => demo.output(), { timeout: DEMO_TIMEOUT_MS }).toMatch(DASHBOARD);
    const [at = ''] = DASHBOARD.exec(demo.output()) ?? [];
    const overview = (await (await fetch(`${at}?format=json`)).json()) as { census: unknown };
    expect(overview.census).toMatchObject([{ scope: 'orders', state: 'succeeded', records: 300 }]);
    expect(await (await fetch(at)).text()).toContain('<h1>Overview</h1>');
    demo.signal('SIGINT');

    expect(await demo.exitCode(), demo.output()).toBe(0);
    const output = demo.output();
    // A busy machine can be slow to answer, and nothing else may go wrong.
    const errors = output.split('\n').filter((line) => line.includes('QUEUE_ERROR'));
    expect(errors.filter((line) => !line.includes('gave no reply in time'))).toEqual([]);
    expect(output).toMatch(/charges +300 +\d+\n +orders lost +0 +\d+\n +orders doubled +0 +[1-9]\d*\n/);
    expect(output).toMatch(
      /emails +30[1-9] +\d+\n +orders lost +0 +\d+\n +orders doubled +[1-9] +[1-9]\d*\n/,
    );
    expect(output).toMatch(/deletes forgotten +[1-9]\d* +[1-9]\d*\n/);
    expect(output).toMatch(/takeovers +[1-9]\d* /);
    expect(output).toMatch(/records succeeded +300 /);
    await noProcessIsLeftOf(demo.pid);
    expect(readdirSync(temporary).filter((name) => name.startsWith('handle-once'))).toEqual([]);
  },
);

it('cleans up in services that are not its own when it is interrupted', async () => {
  const queueUrl = await createQueue(client);
  const environment = { ...awsEnvironment(sqsEndpoint('elasticmq')), DATABASE_URL: url, QUEUE_URL: queueUrl };
  const demo = await startDemo(environment, ['sqs']);
  await demo.prints('killed with SIGKILL');
  demo.signal('SIGINT');

  expect(await demo.exitCode()).toBe(1);
  expect(demo.output()).toContain('ended by SIGINT');
  await noProcessIsLeftOf(demo.pid);
  expect(await messagesIn(client, queueUrl)).toBe(0);
  expect(await sql`select nspname from pg_namespace where nspname like 'demo%'`).toEqual([]);
});
