import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createHandleOnce } from 'handle-once';
import { guardedSocket } from 'handle-once/clients';
import { createSqsWorker } from 'handle-once/sqs';
import postgres from 'postgres';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createQueue, useSqs } from '../support/sqs.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

const CONNECTIONS = 4;

const client = useSqs('fauxqs');
const { sql, url } = useDatabase();

beforeAll(async () => {
  await sql`create table shipped (id text not null)`;
});

test('A worker whose connections all fell silent in mid transaction handles messages again', async () => {
  const { hostname, port } = new URL(url);
  const proxy = await tcpProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => proxy.cut());
  const throughProxy = Object.assign(new URL(url), { port: String(proxy.port) }).href;
  const guarded = postgres(throughProxy, {
    ...{ max: CONNECTIONS, fetch_types: false, onnotice: () => undefined },
    ...guardedSocket({ unansweredMs: 700 }),
  });
  onTestFinished(() => guarded.end({ timeout: 1 }));

  const queueUrl = await createQueue(client, { visibilityTimeoutSeconds: 2 });
  const handleOnce = createHandleOnce({ sql: guarded, scope: queueUrl, leaseMs: 1_500, backoff: () => 0 });
  let faults = 0;
  const worker = createSqsWorker(
    {
      ...{
        client,
        queueUrl,
        handleOnce,
        inTransaction: true,
        concurrency: CONNECTIONS,
        onFailed: 'acknowledge',
      },
      waitTimeSeconds: 1,
    },
    async (id, _, tx) => {
      await tx`insert into shipped (id) values (${String(id)})`;
      if (faults < CONNECTIONS) {
        faults += 1;
        proxy.silence();
        await tx`select 1`;
      }
    },
  );
  onTestFinished(async () => {
    await worker.stop({ drainMs: 1_000 });
  });
  await worker.start();
  const ids = Array.from({ length: 8 }, (_, index) => `order-${index}`);
  for (const id of ids) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(id) }));
  }
  await vi.waitFor(
    async () => {
      const rows = await sql<{ id: string }[]>`select id from shipped order by id`;
      expect(rows.map(({ id }) => id)).toEqual(ids);
    },
    { timeout: 50_000, interval: 200 },
  );
  expect(faults).toBe(CONNECTIONS);
}, 60_000);
