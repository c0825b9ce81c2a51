import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { messagesIn } from '../../../examples/demo/progress.ts';
import { useEmptyDatabase } from '../../support/database.ts';
import { createQueue, sqsEndpoint, useSqs } from '../../support/sqs.ts';
import { awsEnvironment, startExample } from '../support/example.ts';

const DEMO_TIMEOUT_MS = 90_000;

const client = useSqs('elasticmq');
const { sql, url } = useEmptyDatabase();

/** Readable for the user that PostgreSQL runs as. */
function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'demo-test-'));
  chmodSync(path, 0o755);
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Whoever adopts the processes of a dead parent may take a moment to see them end. */
async function noProcessIsLeftOf(group: number): Promise<void> {
  await vi.waitFor(
    () => {
      expect(() => process.kill(-group, 0)).toThrow('ESRCH');
    },
    { timeout: 5_000 },
  );
}

it(
  'shows with nothing but itself that no charge is lost or doubled, and leaves nothing behind',
  { timeout: DEMO_TIMEOUT_MS },
  async () => {
    const temporary = temporaryDirectory();
    const demo = startExample('demo/main.ts', { TMPDIR: temporary, DATABASE_URL: '', QUEUE_URL: '' });

    expect(await demo.exitCode(), demo.output()).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/charges +300 +\d+\n +orders lost +0 +\d+\n +orders doubled +0 +[1-9]\d*\n/);
    expect(output).toMatch(
      /emails +30[1-9] +\d+\n +orders lost +0 +\d+\n +orders doubled +[1-9] +[1-9]\d*\n/,
    );
    expect(output).toMatch(/takeovers +[1-9]\d* /);
    expect(output).toMatch(/records succeeded +300 /);
    await noProcessIsLeftOf(demo.pid);
    expect(readdirSync(temporary).filter((name) => name.startsWith('handle-once'))).toEqual([]);
  },
);

it('cleans up in services of somebody else when it is interrupted', async () => {
  const queueUrl = await createQueue(client);
  const demo = startExample('demo/main.ts', {
    ...awsEnvironment(sqsEndpoint('elasticmq')),
    DATABASE_URL: url,
    QUEUE_URL: queueUrl,
  });
  await demo.prints('killed with SIGKILL');
  demo.signal('SIGINT');

  expect(await demo.exitCode()).toBe(1);
  expect(demo.output()).toContain('ended by SIGINT');
  await noProcessIsLeftOf(demo.pid);
  expect(await messagesIn(client, queueUrl)).toBe(0);
  expect(await sql`select nspname from pg_namespace where nspname like 'demo%'`).toEqual([]);
});
