import { StoreError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { gate } from '../support/gate.ts';
import { bench, type BenchOptions, pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { fakeConsumer } from './support/fake-consumer.ts';
import { message } from './support/messages.ts';

useFakeTimers();

/** A consumer of whose store something is known. */
async function known(options: BenchOptions = {}) {
  const bed = bench(options);
  expect(bed.config.health()).toMatchObject({ live: true, ready: false, store: 'unknown' });
  await pass();
  return bed;
}

describe('health', () => {
  test('is not live once another consumer has run the config, whose own goes on', async () => {
    const { config, consumer, hold, run, attempts } = await known();
    const held = hold(10);
    const own = run(fakeBatch([message(10)]));
    await pass();
    const other = fakeConsumer();
    await other.run(config as never);
    await expect(other.hand(fakeBatch([message(11)], { partition: 1 }))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    expect(config.health()).toMatchObject({ live: false, ready: false });
    consumer.join({ orders: [0, 1] });
    expect(config.health()).toMatchObject({ live: false, ready: false });
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([false]);
    held.open();
    await pass();
    expect(own.state).toBe('ended');
  });

  test('is ready once the group is joined and the store has answered', async () => {
    const { config } = await known();
    const nothing = { partitions: [], held: [] };
    expect(config.health()).toEqual({ live: true, ready: true, store: 'reachable', ...nothing });
  });

  test('is not ready while the start of a retry topic is not known to be committed, and names its partitions', async () => {
    const answers = gate();
    const cluster = fakeAdmin();
    for (const place of ['retry/0', 'retry/1']) cluster.committed[place] = cluster.ends[place] = '7';
    const admin = {
      ...cluster,
      describeGroups: () => Promise.resolve({ groups: [] }),
      fetchOffsets: async (query: Parameters<typeof cluster.fetchOffsets>[0]) => {
        await answers.opened;
        return await cluster.fetchOffsets(query);
      },
    };
    const producer = { send: () => Promise.resolve() };
    const retry = { topics: [{ topic: 'retry', delayMs: 10_000 }], producer };
    const { config, consumer } = bench({ admin, retry, ordering: 'unordered' });
    config.health();
    await pass();
    expect(config.health()).toMatchObject({ ready: true, held: [] });
    consumer.join({ orders: [0], retry: [0, 1] });
    await pass(60_000);
    const held = [0, 1].map((partition) => ({ topic: 'retry', partition }));
    expect(config.health()).toMatchObject({ live: true, ready: false, store: 'reachable', held });
    answers.open();
    await pass();
    expect(config.health()).toMatchObject({ ready: true, held: [] });
  });

  test('tells how far each partition is', async () => {
    const { config, run, hold } = await known();
    const last = hold(12);
    run(fakeBatch([message(10), message(11), message(12)], { end: 40 }));
    await pass();
    const { partitions } = config.health();
    expect(partitions).toEqual([
      { topic: 'orders', partition: 0, position: '12', end: '40', progressAt: new Date() },
    ]);
    await pass(60_000);
    expect(config.health().partitions).toEqual(partitions);
    last.open();
    await pass();
    expect(config.health().partitions).toMatchObject([{ position: '13', progressAt: new Date() }]);
  });

  test('is not ready, and live, once it is stopped', async () => {
    const { config, consumer } = await known();
    await consumer.stop();
    expect(config.health()).toMatchObject({ live: true, ready: false });
  });

  test('is live while the client starts again by itself, and not when it has given up', async () => {
    const { config, consumer } = await known({ onEvent: () => undefined });
    consumer.crash(new Error('broker is gone'), true);
    expect(config.health()).toMatchObject({ live: true, ready: false });
    consumer.join({ orders: [0] });
    expect(config.health()).toMatchObject({ live: true, ready: true });
    consumer.crash(new Error('not authorized'), false);
    expect(config.health()).toMatchObject({ live: false, ready: false });
  });

  test('follows the store: by what deliveries find, and by a read every ten seconds at most', async () => {
    const memory = createMemoryStore();
    const down = new StoreError('it is down', { retriable: true, mayHaveLanded: false });
    let isDown = false;
    const check = vi.fn(() => (isDown ? Promise.reject(down) : Promise.resolve()));
    const store = {
      ...memory,
      check,
      claim: (...given: Parameters<typeof memory.claim>) =>
        isDown ? Promise.reject(down) : memory.claim(...given),
    };
    const { config, run, eventsOf } = await known({ store });
    expect(config.health()).toMatchObject({ ready: true });
    run(fakeBatch([message(10)]));
    await pass();
    const asked = check.mock.calls.length;

    isDown = true;
    run(fakeBatch([message(11)]));
    while (eventsOf('kept').length === 0) await pass(100);
    expect(config.health()).toMatchObject({ live: true, ready: false, store: 'unreachable' });
    expect(check.mock.calls.length).toBe(asked);

    isDown = false;
    await pass(10_000);
    config.health();
    await pass();
    expect(config.health()).toMatchObject({ ready: true, store: 'reachable' });
    config.health();
    expect(check.mock.calls.length).toBe(asked + 1);
  });
});
