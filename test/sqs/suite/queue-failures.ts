import { queueName } from '../../../adapters/shared/sqs/queue-url.ts';
import { describe, expect, test, vi } from 'vitest';
import { countsOf, type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate } from '../../support/gate.ts';
import {
  allFailed,
  type Call,
  type Entry,
  interposedClient,
  sdkError,
} from '../support/interposed-client.ts';
import { sendMany } from '../support/send-many.ts';

/** A worker whose queue fails: it goes on by itself, and no handler runs twice for it. */
export function queueFailureSuite({ client, setup }: Fixture): void {
  describe('Receives', () => {
    test.each(['ECONNRESET', 'RequestThrottled', 'OverLimit', 'TimeoutError'])(
      'that fail with %s are events, and the worker recovers',
      async (name) => {
        const queue = await setup();
        let failures = 2;
        const failing = interposedClient(client, ({ verb }, forward) => {
          if (verb === 'ReceiveMessage' && failures-- > 0) throw sdkError(name);
          return forward();
        });
        const handler = vi.fn();
        await queue.send('1');
        const worker = await queue.startWorker({ client: failing, handler });
        await queue.empty();
        await until(() => worker.counts().acknowledged === 1);
        expect(handler).toHaveBeenCalledTimes(1);
        expect(queue.eventsOf('queue-error')).toMatchObject([
          { verb: 'receive', queue: queueName(queue.queueUrl), error: { name } },
          { verb: 'receive', error: { name } },
        ]);
      },
    );

    test.each(['MessageId', 'ReceiptHandle'])(
      'with an entry that has no %s are events, and the others of the receive are handled',
      async (missing) => {
        const queue = await setup({ visibilityTimeoutSeconds: 20 });
        const incomplete = interposedClient(client, async ({ verb }, forward) => {
          const reply = (await forward()) as { Messages?: object[] };
          const [first] = reply.Messages ?? [];
          if (verb !== 'ReceiveMessage' || first === undefined) return reply;
          return { Messages: [{ ...first, [missing]: undefined }, first] };
        });
        await queue.send('1');
        const handler = vi.fn();
        const worker = await queue.startWorker({ client: incomplete, handler });
        await until(() => worker.counts().acknowledged === 1);
        expect(handler).toHaveBeenCalledTimes(1);
        expect(queue.eventsOf('queue-error')).toMatchObject([
          { verb: 'receive', error: { message: expect.stringContaining(missing) as string } },
        ]);
        expect(await worker.stop()).toEqual({ abandoned: 0 });
      },
    );
  });

  describe('Deletes', () => {
    test('that fail and are worth another try are tried again, one entry without the others', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 20 });
      const attempts: number[] = [];
      let unlucky: string | undefined;
      const failing = interposedClient(client, async (call, forward) => {
        if (call.verb !== 'DeleteMessageBatch') return await forward();
        attempts.push(call.entries.length);
        unlucky ??= call.entries[0]?.ReceiptHandle;
        if (attempts.length > 2 || !call.entries.some((entry) => entry.ReceiptHandle === unlucky)) {
          return await forward();
        }
        return allFailed(call, 'InternalError', false);
      });
      await sendMany(client, queue.queueUrl, ['1', '2', '3']);
      const worker = await queue.startWorker({ client: failing, handler: () => undefined });
      await queue.empty();
      await until(() => worker.counts().acknowledged === 3);
      expect(worker.counts()['queue-error']).toBeUndefined();
      expect(worker.counts().received).toBe(3);
    });

    test('that are refused for good are not tried again, and the others of the batch are deleted', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 20 });
      const together = gate();
      let running = 0;
      const failing = interposedClient(client, async (call, forward) => {
        if (call.verb !== 'DeleteMessageBatch') return await forward();
        const [first] = call.entries;
        const refusesFirst = failing.touches(first?.ReceiptHandle ?? '').length === 1 && isFirstDelete(call);
        const reply = (await forward()) as { Successful?: { Id?: string }[] };
        if (!refusesFirst) return reply;
        const Successful = reply.Successful?.filter(({ Id }) => Id !== first?.Id);
        return {
          ...allFailed({ ...call, entries: [first as Entry] }, 'ReceiptHandleIsInvalid', true),
          Successful,
        };
      });
      const isFirstDelete = (call: Call): boolean =>
        failing.calls.find(({ verb }) => verb === 'DeleteMessageBatch') === call;
      await sendMany(client, queue.queueUrl, ['1', '2', '3']);
      const worker = await queue.startWorker({
        client: failing,
        handler: async () => {
          running += 1;
          if (running === 3) together.open();
          await together.opened;
        },
      });
      await until(() => worker.counts().acknowledged === 2);
      await until(() => worker.counts().kept === 1);
      const [error] = queue.eventsOf('queue-error');
      expect(error).toMatchObject({ verb: 'delete' });
      expect(error?.error.message).toContain('ReceiptHandleIsInvalid');
      const refusedHandle = failing.calls.find(({ verb }) => verb === 'DeleteMessageBatch')?.entries[0]
        ?.ReceiptHandle;
      expect(failing.touches(refusedHandle ?? '')).toHaveLength(1);
      expect(queue.handleOnce.counts().succeeded).toBe(3);
    });

    test.each<[what: string, times: number, reply: (call: Call) => object]>([
      ['that the reply does not mention', 3, () => ({ Successful: [], Failed: [] })],
      ['that stay refused', 3, (call) => allFailed(call, 'InternalError', false)],
      [
        'whose call fails as a whole',
        1,
        () => {
          throw sdkError('ECONNRESET');
        },
      ],
    ])('%s leave the message, and its redelivery replays and deletes', async (_, times, reply) => {
      const queue = await setup({ visibilityTimeoutSeconds: 2 });
      const handler = vi.fn();
      let left = times;
      const failing = interposedClient(client, async (call, forward) =>
        call.verb === 'DeleteMessageBatch' && left-- > 0 ? reply(call) : await forward(),
      );
      await queue.send('1');
      const worker = await queue.startWorker({ client: failing, handler });
      await until(() => worker.counts().acknowledged === 1);
      expect(handler).toHaveBeenCalledTimes(1);
      expect(countsOf(worker)).toEqual({
        received: 2,
        'queue-error': 1,
        kept: 1,
        replayed: 1,
        acknowledged: 1,
      });
      expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'queue-error' }]);
      expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
    });
  });

  describe('Changes of visibility', () => {
    const isChange = ({ verb }: Call): boolean => verb === 'ChangeMessageVisibilityBatch';

    test('that fail and are worth another try are tried again', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 60 });
      let failures = 2;
      const failing = interposedClient(client, async (call, forward) =>
        isChange(call) && failures-- > 0 ? allFailed(call, 'InternalError', false) : await forward(),
      );
      await queue.send('1');
      const worker = await queue.startWorker({
        client: failing,
        handler: (_, { number }) => {
          if (number === 1) throw new Error('not yet');
        },
      });
      await until(() => worker.counts().acknowledged === 1);
      expect(countsOf(worker)).toEqual({ received: 2, kept: 1, acknowledged: 1 });
      expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'released' }]);
    });

    test('that are refused leave the message until its visibility timeout, and say so', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 2 });
      const failing = interposedClient(client, async (call, forward) =>
        isChange(call) ? allFailed(call, 'InvalidParameterValue', true) : await forward(),
      );
      await queue.send('1');
      const worker = await queue.startWorker({
        client: failing,
        handler: (_, { number }) => {
          if (number === 1) throw new Error('not yet');
        },
      });
      await until(() => worker.counts().acknowledged === 1);
      expect(queue.eventsOf('queue-error')).toMatchObject([{ verb: 'change-visibility' }]);
      expect(queue.eventsOf('kept')).toMatchObject([
        { reason: 'queue-error', visibleAfterSeconds: undefined },
      ]);
    });

    test.each<[what: string, reply: (call: Call) => object]>([
      ['are refused', (call) => allFailed(call, 'InvalidParameterValue', true)],
      [
        'fail as a whole',
        () => {
          throw sdkError('ECONNRESET');
        },
      ],
    ])('that %s while giving back are not taken for done, and the stop goes on', async (_, reply) => {
      const queue = await setup({ visibilityTimeoutSeconds: 60 });
      const failing = interposedClient(client, async (call, forward) =>
        isChange(call) ? reply(call) : await forward(),
      );
      const [began, blocked] = [gate(), gate()];
      await queue.send('1');
      await queue.send('2');
      const worker = await queue.startWorker({
        client: failing,
        concurrency: 1,
        handler: () => {
          began.open();
          return blocked.opened;
        },
      });
      await until(() => worker.counts().received === 2);
      await began.opened;
      const stopped = worker.stop();
      await until(() => worker.counts()['queue-error'] === 1);
      blocked.open();
      expect(await stopped).toEqual({ abandoned: 0 });
      expect(queue.eventsOf('queue-error')).toMatchObject([{ verb: 'change-visibility' }]);
      expect(countsOf(worker)).toEqual({ received: 2, acknowledged: 1, 'queue-error': 1 });
      expect(await queue.size()).toEqual({ visible: 0, invisible: 1 });
    });
  });
}
