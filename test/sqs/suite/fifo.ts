import { RetryableError, TerminalError } from 'handle-once';
import { expect, test } from 'vitest';
import { type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate } from '../../support/gate.ts';

/**
 * Order per group.
 *
 * fauxqs gives one message of a group per receive, and no more of it while that one is in flight; ElasticMQ, like AWS,
 * fills a batch from one group. What happens behind a message in flight is so only seen on ElasticMQ: on fauxqs these
 * tests pass because nothing is behind it.
 */
export function fifoSuite({ server, setup }: Fixture): void {
  const fillsBatches = server === 'elasticmq';

  test('keeps the order within each group while groups run side by side', async () => {
    const queue = await setup({ fifo: true });
    const groups = ['a', 'b', 'c'];
    for (const group of groups) {
      for (let n = 0; n < 4; n += 1) await queue.send(String(n), { group });
    }
    const handled: Record<string, unknown[]> = {};
    const allStarted = gate();
    const worker = await queue.startWorker({
      concurrency: 10,
      handler: async (payload, { message }) => {
        const group = message.Attributes?.MessageGroupId ?? '';
        (handled[group] ??= []).push(payload);
        if (Object.keys(handled).length === groups.length) allStarted.open();
        // Only ends if the groups run at the same time.
        await allStarted.opened;
      },
    });
    await queue.empty();
    await until(() => (worker.counts().acknowledged ?? 0) >= 12);
    expect(handled).toEqual({ a: [0, 1, 2, 3], b: [0, 1, 2, 3], c: [0, 1, 2, 3] });
  });

  test('never runs two of one group at once', async () => {
    const queue = await setup({ fifo: true });
    for (let n = 0; n < 5; n += 1) await queue.send(String(n), { group: 'a' });
    let running = 0;
    let most = 0;
    const worker = await queue.startWorker({
      concurrency: 10,
      handler: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      },
    });
    await until(() => (worker.counts().acknowledged ?? 0) >= 5);
    expect(most).toBe(1);
  });

  test('one that is left goes before those behind it: they are given back, and come in order', async () => {
    const queue = await setup({ fifo: true, visibilityTimeoutSeconds: 20 }, { backoff: () => 1_000 });
    const others = ['other-0', 'other-1'];
    for (let n = 0; n < 5; n += 1) await queue.send(String(n), { group: 'a' });
    for (const body of others) await queue.send(JSON.stringify(body), { group: 'b' });
    const handled: string[] = [];
    const worker = await queue.startWorker({
      concurrency: 10,
      handler: (payload, { number }) => {
        handled.push(`${String(payload)}#${number}`);
        if (payload === 1 && number === 1) throw new Error('not yet');
      },
    });
    await queue.empty();
    await until(() => (worker.counts().acknowledged ?? 0) >= 7);

    expect(handled.filter((body) => !body.startsWith('other'))).toEqual([
      '0#1',
      '1#1',
      '1#2',
      '2#1',
      '3#1',
      '4#1',
    ]);
    expect(handled.filter((body) => body.startsWith('other'))).toEqual(['other-0#1', 'other-1#1']);
    if (fillsBatches) expect(queue.eventsOf('returned')).toHaveLength(3);
  });

  test.each([true, false])(
    'a deferred one is warned of once, where it holds a group (FIFO: %s)',
    async (fifo) => {
      const queue = await setup({ fifo });
      for (let n = 0; n < 2; n += 1) await queue.send(String(n), { group: String(n) });
      const worker = await queue.startWorker({
        handler: (_, { ageMs }) => {
          if (ageMs === 0) throw new RetryableError('not yet', { retryAfterMs: 1, counted: false });
        },
      });
      await until(() => (worker.counts().acknowledged ?? 0) >= 2);
      const warned = queue.eventsOf('warning').filter(({ warning }) => warning === 'DEFERRED_IN_GROUP');
      expect(warned).toHaveLength(fifo ? 1 : 0);
    },
  );

  test('slow groups hold up no other', async () => {
    const queue = await setup({ fifo: true });
    for (let n = 0; n < 10; n += 1) await queue.send(String(n), { group: 'a' });
    await queue.send('0', { group: 'b' });
    const mayEnd = gate();
    const started: unknown[] = [];
    const worker = await queue.startWorker({
      concurrency: 10,
      handler: async (_, { message }) => {
        started.push(message.Attributes?.MessageGroupId);
        await mayEnd.opened;
      },
    });
    await until(() => started.length === 2);
    await queue.send('0', { group: 'c' });
    await until(() => started.length === 3);
    // The first two are claimed at once: either may be first.
    expect(new Set(started)).toEqual(new Set(['a', 'b', 'c']));
    mayEnd.open();
    await until(() => (worker.counts().acknowledged ?? 0) >= 12);
  });

  test('one that failed for good is out of the way', async () => {
    const queue = await setup({ fifo: true });
    for (let n = 0; n < 3; n += 1) await queue.send(String(n), { group: 'a' });
    const handled: unknown[] = [];
    const worker = await queue.startWorker({
      handler: (payload) => {
        handled.push(payload);
        if (payload === 1) throw new TerminalError('never');
      },
    });
    await until(() => (worker.counts().acknowledged ?? 0) >= 3);
    expect(handled).toEqual([0, 1, 2]);
    expect(queue.eventsOf('returned')).toEqual([]);
  });

  test('a group of a standard queue says who sent, and orders nothing', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    // fauxqs drops the group of a message in a standard queue; AWS and ElasticMQ deliver it.
    for (let n = 0; n < 4; n += 1) await queue.send(String(n), { group: 'tenant' });
    const allRun = gate();
    let running = 0;
    const worker = await queue.startWorker({
      handler: async () => {
        running += 1;
        if (running === 4) allRun.open();
        // Only ends if they run side by side.
        await allRun.opened;
      },
    });
    await until(() => (worker.counts().acknowledged ?? 0) >= 4);
  });
}
