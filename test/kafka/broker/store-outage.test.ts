import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gate } from '../../support/gate.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';
import { numbered, upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { databaseUrl, setup } = useFixture();

async function throughProxy(): Promise<{ proxy: TcpProxy; sql: postgres.Sql }> {
  const url = new URL(databaseUrl);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const sql = postgres(url.href, {
    max: 3,
    fetch_types: false,
    backoff: () => 0.05,
    onnotice: () => undefined,
  });
  onTestFinished(async () => {
    await sql.end({ timeout: 1 });
    await proxy.cut();
  });
  return { proxy, sql };
}

test('a store that goes away in the middle of a batch: what is on record is committed, the rest runs later', async () => {
  const { proxy, sql } = await throughProxy();
  let succeeded = 0;
  let cut: Promise<void> | undefined;
  const group = await setup(undefined, {
    sql,
    leaseMs: 4_000,
    onEvent: ({ type }) => {
      if (type === 'succeeded' && ++succeeded === 5) cut = proxy.cut();
    },
  });
  await group.produce(...numbered(12));
  const handled: number[] = [];
  const member = await group.start(({ payload }) => handled.push(Number(payload)));

  await until(() => (group.handleOnce.counts()['store-error'] ?? 0) >= 3);
  await cut;
  await group.committedTo(5);
  const recorded = (await group.records()).filter(({ state }) => state === 'succeeded');
  expect(recorded).toHaveLength(5);
  // The claim of the next message goes out with the settle before it, and may have got through.
  expect(handled.slice(0, 5)).toEqual(upTo(5));
  expect(handled.length).toBeLessThanOrEqual(6);

  await proxy.mend();
  await group.caughtUp();
  expect(handled).toEqual(upTo(12));
  expect(member.joins).toHaveLength(1);
  expect(await group.committed()).toEqual([12]);
});

test('a handler that runs meanwhile is recorded when the store is back within its lease, and runs once', async () => {
  const { proxy, sql } = await throughProxy();
  const group = await setup(undefined, { sql, leaseMs: 10_000 });
  await group.produce(...numbered(2));
  const down = gate();
  const handler = vi.fn(() => down.opened);
  await group.start(handler);
  await until(() => handler.mock.calls.length === 1);
  await proxy.cut();
  down.open();
  await until(() => (group.handleOnce.counts()['store-error'] ?? 0) >= 2);
  expect(await group.committed()).toEqual([0]);

  await proxy.mend();
  await group.caughtUp();
  expect(handler).toHaveBeenCalledTimes(2);
  expect(group.handleOnce.counts()).toMatchObject({ claimed: 2, succeeded: 2 });
  expect(await group.committed()).toEqual([2]);
});

test('a handler whose end cannot be recorded within its lease is withheld, and runs again', async () => {
  const { proxy, sql } = await throughProxy();
  const group = await setup(undefined, { sql, leaseMs: 1_000 });
  await group.produce(...numbered(1));
  const numbers: number[] = [];
  await group.start(async (_, { number }) => {
    numbers.push(number);
    if (number === 1) await proxy.cut();
  });
  await until(() => group.eventsOf('kept').length > 0);
  expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '0', reason: 'unrecorded' });
  expect(await group.committed()).toEqual([0]);

  await proxy.mend();
  await group.caughtUp();
  expect(numbers).toEqual([1, 2]);
  expect(group.handleOnce.counts()).toMatchObject({ unrecorded: 1, 'taken-over': 1 });
  expect(await group.committed()).toEqual([1]);
});

test('a store that is down at the start stops nothing: each runs once when it is there', async () => {
  const { proxy, sql } = await throughProxy();
  const group = await setup({ partitions: 3 }, { sql });
  for (const partition of [0, 1, 2]) await group.produce(...numbered(4, partition));
  await proxy.cut();
  const handler = vi.fn();
  const member = await group.start(handler, { ordering: 'unordered' });
  await until(() => group.eventsOf('partition-paused').length >= 6);
  expect(handler).not.toHaveBeenCalled();
  expect(await group.committed()).toEqual([0, 0, 0]);

  await proxy.mend();
  await group.caughtUp();
  expect(handler).toHaveBeenCalledTimes(12);
  expect(member.crashes).toEqual([]);
  expect(member.joins).toHaveLength(1);
  expect(await group.committed()).toEqual([4, 4, 4]);
});
