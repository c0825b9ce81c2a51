import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate } from '../../support/gate.ts';
import { sendMany } from '../support/send-many.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';

/** A worker whose database goes away: no message is lost or run for it, and it recovers by itself. */
export function storeOutageSuite({ client, databaseUrl, setup, sql: admin }: Fixture): void {
  async function throughProxy(): Promise<{ proxy: TcpProxy; sql: postgres.Sql; applicationName: string }> {
    const url = new URL(databaseUrl);
    const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const applicationName = `outage-${proxy.port}`;
    const sql = postgres(url.href, {
      fetch_types: false,
      max: 3,
      backoff: () => 0.05,
      connection: { application_name: applicationName },
      onnotice: () => undefined,
    });
    onTestFinished(async () => {
      await sql.end({ timeout: 1 });
      await proxy.cut();
    });
    return { proxy, sql, applicationName };
  }

  test('while it cannot be reached messages stay and nothing runs; then all run, once', async () => {
    const { proxy, sql } = await throughProxy();
    // Long enough for the lease to outlive a reconnect on a busy machine.
    const queue = await setup({ visibilityTimeoutSeconds: 5 }, { sql, leaseMs: 4_000 });
    const handled: number[] = [];
    const worker = await queue.startWorker({
      concurrency: 5,
      handler: (payload) => {
        handled.push(payload as number);
      },
    });
    await sendMany(client, queue.queueUrl, ['1', '2', '3']);
    await until(() => worker.counts().acknowledged === 3);

    await proxy.cut();
    await sendMany(client, queue.queueUrl, ['4', '5', '6', '7']);
    await until(() => queue.eventsOf('kept').length >= 3);
    expect(handled).toHaveLength(3);
    expect(new Set(queue.eventsOf('kept').map(({ reason }) => reason))).toEqual(new Set(['store-error']));
    const { visible, invisible } = await queue.size();
    expect(visible + invisible).toBe(4);

    await proxy.mend();
    await until(() => worker.counts().acknowledged === 7);
    expect(handled.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
  });

  test('a handler that runs meanwhile is recorded when the database is back within its lease, and runs once', async () => {
    const { proxy, sql } = await throughProxy();
    const queue = await setup({ visibilityTimeoutSeconds: 20 }, { sql, leaseMs: 10_000 });
    const down = gate();
    const handler = vi.fn(() => down.opened);
    await queue.send('1');
    const worker = await queue.startWorker({ handler });
    await until(() => handler.mock.calls.length === 1);
    await proxy.cut();
    down.open();
    await until(() => (queue.handleOnce.counts()['store-error'] ?? 0) >= 2);
    await proxy.mend();
    await until(() => worker.counts().acknowledged === 1);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(queue.handleOnce.counts()).toMatchObject({ claimed: 1, succeeded: 1 });
  });

  test('connections that the server kills cost no message and no second run', async () => {
    const { sql, applicationName } = await throughProxy();
    // Long enough for the lease to outlive a reconnect on a busy machine.
    const queue = await setup({ visibilityTimeoutSeconds: 10 }, { sql, leaseMs: 8_000 });
    const handled: number[] = [];
    const bodies = Array.from({ length: 60 }, (_, n) => String(n));
    await sendMany(client, queue.queueUrl, bodies);
    const kill = () => admin`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`;
    const worker = await queue.startWorker({
      concurrency: 10,
      handler: async (payload) => {
        handled.push(payload as number);
        if (handled.length % 20 === 10) await kill();
      },
    });
    await queue.empty();
    expect(handled.sort((a, b) => a - b)).toEqual(bodies.map(Number));
    expect(worker.counts().acknowledged).toBe(60);
  });

  test('after the first failures one message at a time is tried: more would use up their receive counts', async () => {
    const { proxy, sql } = await throughProxy();
    const queue = await setup({ visibilityTimeoutSeconds: 60 }, { sql });
    const handler = vi.fn();
    const inFlight = new Set<string>();
    let mostInHand = 0;
    const worker = await queue.startWorker({
      concurrency: 10,
      handler,
      onEvent: (event) => {
        queue.onEvent(event);
        if (event.type === 'received') inFlight.add(event.messageId);
        if (event.type === 'kept' || event.type === 'acknowledged') inFlight.delete(event.messageId);
        mostInHand = Math.max(mostInHand, inFlight.size);
      },
    });
    await proxy.cut();
    const bodies = Array.from({ length: 40 }, (_, n) => String(n));
    await sendMany(client, queue.queueUrl, bodies);
    await until(() => queue.eventsOf('kept').length > 0 && inFlight.size === 0);
    mostInHand = 0;

    const firstWave = queue.eventsOf('received').length;
    await until(() => queue.eventsOf('received').length >= firstWave + 3);
    expect(mostInHand).toBe(1);
    expect(handler).not.toHaveBeenCalled();

    await proxy.mend();
    await until(() => worker.counts().acknowledged === bodies.length - queue.eventsOf('kept').length);
  });

  test('the first handler that starts shows that it is back: others start while that one runs', async () => {
    const { proxy, sql } = await throughProxy();
    const queue = await setup({ visibilityTimeoutSeconds: 2 }, { sql });
    const together = gate();
    let running = 0;
    await proxy.cut();
    const worker = await queue.startWorker({
      concurrency: 4,
      handler: async () => {
        running += 1;
        if (running === 4) together.open();
        await together.opened;
      },
    });
    await sendMany(client, queue.queueUrl, ['1', '2', '3', '4']);
    await until(() => queue.eventsOf('kept').length > 0);
    await proxy.mend();
    await until(() => worker.counts().acknowledged === 4);
  });
}
