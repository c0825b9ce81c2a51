import type { Message } from '@aws-sdk/client-sqs';
import { TerminalError } from 'handle-once';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { countsOf, type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate } from '../../support/gate.ts';
import { interposedClient } from '../support/interposed-client.ts';
import { sendMany } from '../support/send-many.ts';

/** A worker whose queue and store do as they should. */
export function workerSuite({ client, setup }: Fixture): void {
  test('drains a queue with many handlers at once, each message once', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    const bodies = Array.from({ length: 300 }, (_, n) => String(n));
    await sendMany(client, queue.queueUrl, bodies);
    const handled: number[] = [];
    const worker = await queue.startWorker({
      concurrency: 50,
      handler: (payload) => {
        handled.push(payload as number);
      },
    });
    await queue.empty();

    expect(handled.sort((a, b) => a - b)).toEqual(bodies.map(Number));
    expect(countsOf(worker)).toEqual({ received: 300, acknowledged: 300 });
    expect(queue.handleOnce.counts()).toEqual({ claimed: 300, succeeded: 300 });
    expect(queue.events).toHaveLength(600);
  });

  test('with one handler, the next message is handled while the one before is deleted', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    const handledBoth = gate();
    const slowDeletes = interposedClient(client, async ({ verb }, forward) => {
      if (verb === 'DeleteMessageBatch') await handledBoth.opened;
      return await forward();
    });
    await sendMany(client, queue.queueUrl, ['1', '2']);
    const handled: unknown[] = [];
    await queue.startWorker({
      client: slowDeletes,
      concurrency: 1,
      handler: (payload) => {
        handled.push(payload);
        if (handled.length === 2) handledBoth.open();
      },
    });
    await queue.empty();
    expect(new Set(handled)).toEqual(new Set([1, 2]));
  });

  test.each([1, 3, 25])(
    'with concurrency %i as many handlers run at once and no more, and one batch waits in line',
    async (concurrency) => {
      const queue = await setup({ visibilityTimeoutSeconds: 20 });
      await sendMany(
        client,
        queue.queueUrl,
        Array.from({ length: 60 }, (_, n) => String(n)),
      );
      const capacity = concurrency + Math.min(concurrency, 10);
      const full = gate();
      let running = 0;
      let mostRunning = 0;
      let mostInHand = 0;
      const times = (type: 'received' | 'acknowledged' | 'kept' | 'returned') => queue.eventsOf(type).length;
      const inFlight = (): number =>
        times('received') - times('acknowledged') - times('kept') - times('returned');
      await queue.startWorker({
        concurrency,
        handler: async () => {
          running += 1;
          mostRunning = Math.max(mostRunning, running);
          await full.opened;
          await Promise.resolve();
          running -= 1;
        },
        onEvent: (event) => {
          queue.onEvent(event);
          mostInHand = Math.max(mostInHand, inFlight());
        },
      });

      await until(() => running === concurrency && inFlight() > concurrency);
      full.open();
      await queue.empty();

      expect(mostRunning).toBe(concurrency);
      expect(mostInHand).toBeGreaterThan(concurrency);
      expect(mostInHand).toBeLessThanOrEqual(capacity);
      expect(new Set(queue.eventsOf('acknowledged').map(({ key }) => key)).size).toBe(60);
    },
  );

  test('never asks for more than it has room for', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    const recording = interposedClient(client);
    await sendMany(
      client,
      queue.queueUrl,
      Array.from({ length: 30 }, (_, n) => String(n)),
    );
    const blocked = gate();
    const worker = await queue.startWorker({
      client: recording,
      concurrency: 2,
      handler: () => blocked.opened,
    });
    await until(() => (worker.counts().received ?? 0) >= 3);
    blocked.open();
    await queue.empty();
    const asked = recording.calls.filter(({ verb }) => verb === 'ReceiveMessage').map(({ max }) => max);
    expect(Math.max(...asked)).toBeLessThanOrEqual(4);
  });

  test('deletes duplicates by key without running them', async () => {
    const queue = await setup();
    const handler = vi.fn();
    const key = ({ Body }: Message): string => (JSON.parse(Body ?? '') as { id: string }).id;
    const bodies = Array.from({ length: 40 }, (_, n) => JSON.stringify({ id: `delivery-${n % 5}` }));
    await sendMany(client, queue.queueUrl, bodies);
    const worker = await queue.startWorker({ concurrency: 20, key, handler });
    await queue.empty();
    await until(() => worker.counts().acknowledged === 40);
    expect(handler).toHaveBeenCalledTimes(5);
    expect(worker.counts().replayed).toBe(35);
  });

  test('gives the handler what parse and schema make of the body', async () => {
    const queue = await setup();
    const received: unknown[] = [];
    const schema = z.object({ order: z.coerce.number() });
    const worker = await queue.startWorker({
      parse: (body) => Object.fromEntries([body.split('=')]) as unknown,
      schema: schema as never,
      handler: (payload, attempt) => {
        const { Body, MessageAttributes } = attempt.message;
        received.push([payload, Body, MessageAttributes?.['Tenant']?.StringValue]);
      },
    });
    await queue.send('order=7', { attributes: { Tenant: { DataType: 'String', StringValue: 'acme' } } });
    await queue.send('order=seven');
    await queue.empty();
    expect(received).toEqual([[{ order: 7 }, 'order=7', 'acme']]);
    expect(countsOf(worker)).toEqual({ received: 2, acknowledged: 2 });
    expect(queue.handleOnce.counts()).toMatchObject({ succeeded: 1, failed: 1 });
  });

  test('tries a retryable error again until it succeeds, and counts everything', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    const worker = await queue.startWorker({
      handler: (_, { number }) => {
        if (number < 3) throw new Error('not yet');
      },
    });
    await queue.send('1');
    await queue.empty();
    await until(() => worker.counts().acknowledged === 1);
    expect(countsOf(worker)).toEqual({ received: 3, kept: 2, acknowledged: 1 });
    expect(queue.eventsOf('kept')).toMatchObject([
      { reason: 'released', visibleAfterSeconds: 0 },
      { reason: 'released', visibleAfterSeconds: 0 },
    ]);
    expect(queue.handleOnce.counts()).toEqual({ claimed: 3, released: 2, succeeded: 1 });
  });

  test('keeps what waits for its turn invisible, however long that takes', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const recording = interposedClient(client);
    const blocked = gate();
    const handler = vi.fn(() => blocked.opened);
    await queue.send('1');
    await queue.send('2');
    const worker = await queue.startWorker({ client: recording, concurrency: 1, handler });
    await until(() => (worker.counts().received ?? 0) === 2);
    const [first, second] = queue.eventsOf('received');
    const beats = (): number => recording.calls.filter(({ verb }) => verb.startsWith('Change')).length;
    await until(() => beats() >= 7);

    expect(await queue.receiveNow()).toEqual([]);
    blocked.open();
    await queue.empty();

    expect(first?.messageId).not.toBe(second?.messageId);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(countsOf(worker)).toEqual({ received: 2, acknowledged: 2 });
    expect(worker.counts()['visibility-extended']).toBeGreaterThan(0);
  });

  test('a body that crashes the parser ends as a failure, not as a loop', async () => {
    const queue = await setup();
    const worker = await queue.startWorker({ handler: () => 1 });
    await queue.send('not JSON');
    await queue.empty();
    expect(countsOf(worker)).toEqual({ received: 1, acknowledged: 1 });
    expect(queue.handleOnce.counts()).toMatchObject({ failed: 1 });
  });

  test('a failing onEvent hook decides nothing', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const queue = await setup();
    const worker = await queue.startWorker({
      handler: () => {
        throw new TerminalError('no');
      },
      onEvent: () => {
        throw new Error('the hook fails');
      },
    });
    await queue.send('1');
    await queue.empty();
    await until(() => worker.counts().acknowledged === 1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('onEvent failed on acknowledged'), {
      type: 'HandleOnceWarning',
      code: 'ON_EVENT_FAILED',
    });
    warn.mockRestore();
  });
}
