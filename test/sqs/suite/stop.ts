import { readStats } from 'handle-once/operations';
import { expect, test, vi } from 'vitest';
import { countsOf, type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate, unlessAborted } from '../../support/gate.ts';
import { interposedClient } from '../support/interposed-client.ts';

/** Starting and stopping. Visibility is long here: what shows again was given back, and did not lapse. */
export function stopSuite({ client, setup, sql }: Fixture): void {
  const patient = () => setup({ visibilityTimeoutSeconds: 60 });

  test('a stop waits for what runs, and gives back at once what waits', async () => {
    const queue = await patient();
    for (let n = 0; n < 4; n += 1) await queue.send(String(n));
    const running = gate();
    const handled: unknown[] = [];
    let started = 0;
    const worker = await queue.startWorker({
      concurrency: 2,
      handler: async (payload) => {
        started += 1;
        await running.opened;
        handled.push(payload);
      },
    });
    await until(() => worker.counts().received === 4 && started === 2);

    const stopped = worker.stop();
    await until(() => worker.counts().returned === 2);
    expect(handled).toEqual([]);
    expect(await queue.size()).toEqual({ visible: 2, invisible: 2 });
    running.open();

    expect(await stopped).toEqual({ abandoned: 0 });
    expect(handled).toHaveLength(2);
    expect(countsOf(worker)).toEqual({ received: 4, returned: 2, acknowledged: 2 });
    expect(await queue.size()).toEqual({ visible: 2, invisible: 0 });
  });

  test('a stop has written what was counted', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 60 }, { stats: true });
    await queue.send('1');
    const worker = await queue.startWorker({ handler: () => undefined });
    await queue.empty();
    await worker.stop();
    expect(await readStats({ sql, scope: queue.scope })).toMatchObject([
      { event: 'claimed', count: 1 },
      { event: 'succeeded', count: 1 },
    ]);
  });

  test('what was given back runs after a new start, once', async () => {
    const queue = await patient();
    for (let n = 0; n < 4; n += 1) await queue.send(String(n));
    const running = gate();
    const handled: unknown[] = [];
    const worker = await queue.startWorker({
      concurrency: 2,
      handler: async (payload) => {
        await running.opened;
        handled.push(payload);
      },
    });
    await until(() => worker.counts().received === 4);
    const stopped = worker.stop();
    running.open();
    await stopped;

    await worker.start();
    await queue.empty();
    expect(handled.sort()).toEqual([0, 1, 2, 3]);
  });

  test('a handler that outlasts the drain has its signal aborted, and its message shows at once', async () => {
    const queue = await patient();
    await queue.send('1');
    const never = gate();
    const reasons: unknown[] = [];
    const worker = await queue.startWorker({
      handler: async (_, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await unlessAborted(never.opened, signal);
      },
    });
    await until(() => queue.handleOnce.counts().claimed === 1);

    expect(await worker.stop({ drainMs: 0 })).toEqual({ abandoned: 0 });

    expect(reasons).toMatchObject([{ name: 'AbortError', message: 'the worker is stopping' }]);
    expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: 0 }]);
    expect(await queue.size()).toEqual({ visible: 1, invisible: 0 });
  });

  test('an interrupted attempt does not count', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 60 }, { maxAttempts: 1 });
    await queue.send('1');
    const never = gate();
    const numbers: number[] = [];
    const worker = await queue.startWorker({
      handler: async (_, { signal, number }) => {
        numbers.push(number);
        if (numbers.length === 1) await unlessAborted(never.opened, signal);
      },
    });
    await until(() => numbers.length === 1);
    await worker.stop({ drainMs: 0 });
    await worker.start();
    await queue.empty();
    expect(numbers).toEqual([1, 1]);
    expect(queue.handleOnce.counts()).toMatchObject({ released: 1, succeeded: 1 });
  });

  test('a handler that ignores its signal is counted as abandoned, and still deletes its message when it ends', async () => {
    const queue = await patient();
    await queue.send('1');
    await queue.send('2');
    const ends = gate();
    const worker = await queue.startWorker({ handler: () => ends.opened });
    await until(() => queue.handleOnce.counts().claimed === 2);

    expect(await worker.stop({ drainMs: 0 })).toEqual({ abandoned: 2 });

    expect(await queue.size()).toEqual({ visible: 0, invisible: 2 });
    ends.open();
    await queue.empty();
    expect(countsOf(worker)).toEqual({ received: 2, acknowledged: 2 });
  });

  test('the message of an abandoned handler comes back to others when its visibility lapses', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    await queue.send('1');
    const ends = gate();
    const worker = await queue.startWorker({ handler: () => ends.opened });
    await until(() => queue.handleOnce.counts().claimed === 1);
    expect(await worker.stop({ drainMs: 0 })).toEqual({ abandoned: 1 });
    expect((await queue.receive()).Body).toBe('1');
    ends.open();
    await until(() => worker.counts().kept === 1);
    expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'lapsed' }]);
  });

  test('what arrives in the last receive while stopping is given back', async () => {
    const queue = await patient();
    const handler = vi.fn();
    const arrived = gate();
    const stopping = gate();
    const late = interposedClient(client, async ({ verb }, forward) => {
      const reply = (await forward()) as { Messages?: unknown[] };
      if (verb === 'ReceiveMessage' && (reply.Messages ?? []).length > 0) {
        arrived.open();
        await stopping.opened;
      }
      return reply;
    });
    const worker = await queue.startWorker({ client: late, handler });
    await queue.send('1');
    await arrived.opened;
    const stopped = worker.stop();
    await new Promise((resolve) => setImmediate(resolve));
    stopping.open();
    await stopped;
    expect(handler).not.toHaveBeenCalled();
    expect(countsOf(worker)).toEqual({ received: 1, returned: 1 });
    expect(await queue.size()).toEqual({ visible: 1, invisible: 0 });
  });

  test('a stop lets the long poll under way end, and receives no more', async () => {
    const queue = await patient();
    const recording = interposedClient(client);
    const handler = vi.fn();
    const worker = await queue.startWorker({ client: recording, waitTimeSeconds: 1, handler });
    const receives = (): number => recording.calls.filter(({ verb }) => verb === 'ReceiveMessage').length;
    await until(() => receives() === 1);
    const stopped = worker.stop();
    await queue.send('1');
    await stopped;
    const atTheStop = receives();
    expect(await queue.size()).toEqual({ visible: 1, invisible: 0 });
    expect(handler).not.toHaveBeenCalled();
    // A poll that was not waited for would take the message now.
    const message = await queue.receive();
    expect(message.Body).toBe('1');
    expect(receives()).toBe(atTheStop);
  });

  test('a second start while it runs does nothing', async () => {
    const queue = await patient();
    const recording = interposedClient(client);
    const handler = vi.fn();
    const worker = queue.worker({ client: recording, concurrency: 1, handler });
    await Promise.all([worker.start(), worker.start()]);
    await worker.start();
    expect(recording.calls.filter(({ verb }) => verb === 'GetQueueAttributes')).toHaveLength(1);
    await queue.send('1');
    await queue.empty();
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test('a second stop does nothing, nor does one before any start', async () => {
    const queue = await patient();
    const worker = queue.worker({ handler: () => undefined });
    expect(await worker.stop()).toEqual({ abandoned: 0 });
    await worker.start();
    const stops = await Promise.all([worker.stop(), worker.stop()]);
    expect(stops).toEqual([{ abandoned: 0 }, { abandoned: 0 }]);
    expect(await worker.stop()).toEqual({ abandoned: 0 });
  });

  test('a stop right after a start waits for it, and leaves nothing running', async () => {
    const queue = await patient();
    const handler = vi.fn();
    const worker = queue.worker({ handler });
    const [, stopped] = await Promise.all([worker.start(), worker.stop()]);
    expect(stopped).toEqual({ abandoned: 0 });
    await queue.send('1');
    expect((await queue.receive()).Body).toBe('1');
    expect(handler).not.toHaveBeenCalled();
  });
}
