import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { gate } from '../support/gate.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { useFixture } from './support/fixture.ts';
import { interposedClient } from './support/interposed-client.ts';

const { client, databaseUrl, setup } = useFixture('fauxqs');

test('a worker is ready from its start to its stop, and tells how its queue progresses', async () => {
  const queue = await setup();
  const held = gate();
  const worker = queue.worker({ handler: () => held.opened });
  expect(worker.health()).toEqual({
    ...{ live: true, ready: false, store: 'unknown' },
    queue: { url: queue.queueUrl, answeredAt: undefined, handledAt: undefined, inFlight: 0 },
  });
  await worker.start();
  expect(worker.health()).toMatchObject({ live: true, ready: true, store: 'reachable' });
  await queue.send('1');
  await until(() => worker.health().queue.inFlight === 1);
  expect(worker.health().queue).toMatchObject({ answeredAt: expect.any(Date) as Date, handledAt: undefined });
  held.open();
  await until(() => worker.counts().acknowledged === 1 && worker.health().queue.inFlight === 0);
  expect(worker.health().queue.handledAt).toEqual(expect.any(Date));
  await worker.stop();
  expect(worker.health()).toMatchObject({ live: true, ready: false, queue: { inFlight: 0 } });
});

test('a worker whose queue fails is not ready, and live, until the queue answers again', async () => {
  let isDown = false;
  const failing = interposedClient(client, async ({ verb }, forward) => {
    if (isDown && verb === 'ReceiveMessage') throw new Error('the queue is down');
    return await forward();
  });
  const queue = await setup();
  const worker = await queue.startWorker({ client: failing, handler: () => undefined });
  isDown = true;
  await until(() => !worker.health().ready);
  expect(worker.health()).toMatchObject({ live: true, store: 'reachable' });
  isDown = false;
  await until(() => worker.health().ready);
});

test('a worker whose database is down is not ready, and live, until the database is back', async () => {
  const url = new URL(databaseUrl);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${proxy.port}`;
  const sql = postgres(url.href, { fetch_types: false, max: 3, backoff: () => 0.05 });
  onTestFinished(async () => {
    await sql.end({ timeout: 1 });
    await proxy.cut();
  });
  const queue = await setup({}, { sql });
  const worker = await queue.startWorker({ handler: () => undefined });
  await proxy.cut();
  await queue.send('1');
  await until(() => worker.health().store === 'unreachable');
  expect(worker.health()).toMatchObject({ live: true, ready: false });
  await proxy.mend();
  await until(() => worker.counts().acknowledged === 1);
  expect(worker.health()).toMatchObject({ ready: true, store: 'reachable' });
});
