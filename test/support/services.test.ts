import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { useDatabase, useEmptyDatabase } from './database.ts';
import { redisOnPath } from './services/redis-process.ts';
import { temporaryDirectory } from './services/temporary-directory.ts';
import { createQueue, drain, sqsServers, useSqs } from './sqs.ts';

describe('PostgreSQL', () => {
  const { sql } = useDatabase();
  const empty = useEmptyDatabase();

  it('is a version that is supported', async () => {
    const [server] = await sql<
      { version: string }[]
    >`select current_setting('server_version_num') as version`;
    expect(Number(server?.version)).toBeGreaterThanOrEqual(130_000);
  });

  it('gives a migrated and an empty database', async () => {
    const schemas = (from: typeof sql) =>
      from`select nspname from pg_namespace where nspname = 'handle_once'`;
    expect(await schemas(sql)).toHaveLength(1);
    expect(await schemas(empty.sql)).toHaveLength(0);
  });
});

describe.each(sqsServers)('%s', (server) => {
  const client = useSqs(server);

  it('delivers a message', async () => {
    const queueUrl = await createQueue(client, { visibilityTimeoutSeconds: 5 });
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'hello' }));

    expect(await drain(client, queueUrl)).toMatchObject([{ Body: 'hello' }]);
    expect(await drain(client, queueUrl)).toEqual([]);
  });

  it('makes FIFO queues, and dead-letter queues', async () => {
    const deadLetterQueueUrl = await createQueue(client, { fifo: true });
    const queueUrl = await createQueue(client, {
      fifo: true,
      redrive: { deadLetterQueueUrl, maxReceiveCount: 1 },
    });
    expect(queueUrl).toMatch(/\.fifo$/);
  });
});

describe('Redis', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    { installed: ['redis-server', 'valkey-server'], taken: 'redis-server' },
    { installed: ['valkey-server'], taken: 'valkey-server' },
    { installed: [], taken: undefined },
  ])('is $taken where the PATH has $installed', async ({ installed, taken }) => {
    const folder = temporaryDirectory('handle-once-path-');
    onTestFinished(() => {
      folder.remove();
    });
    for (const name of installed) writeFileSync(join(folder.path, name), '#!/bin/sh\n', { mode: 0o755 });
    vi.stubEnv('PATH', folder.path);
    expect(await redisOnPath()).toBe(taken);
  });
});
