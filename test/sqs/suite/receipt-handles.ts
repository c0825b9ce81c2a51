import { expect, test } from 'vitest';
import { countsOf, type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate } from '../../support/gate.ts';
import { allFailed, type Call, interposedClient, sdkError } from '../support/interposed-client.ts';

const isChange = ({ verb }: Call): boolean => verb === 'ChangeMessageVisibilityBatch';

/**
 * When a message may be touched, and when no more: at AWS an old receipt handle still acts on the message that
 * another worker holds by now. The server of the tests does not do that, so what is asserted is the calls themselves.
 */
export function receiptHandleSuite({ client, setup }: Fixture): void {
  const impatient = () => setup({ visibilityTimeoutSeconds: 1 }, { leaseMs: 600 });

  test('after a heartbeat was refused the message is touched no more, and what its handler did is on record', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const refusing = interposedClient(client, async (call, forward) =>
      isChange(call) ? allFailed(call, 'ReceiptHandleIsInvalid', true) : await forward(),
    );
    await queue.send('1');
    const refused = gate();
    const worker = await queue.startWorker({
      client: refusing,
      concurrency: 1,
      handler: () => refused.opened,
      onEvent: (event) => {
        queue.onEvent(event);
        if (event.type === 'visibility-lost') refused.open();
      },
    });
    await until(() => worker.counts().kept === 1);
    const [handle] = refusing.calls.filter(isChange).flatMap(({ entries }) => entries);
    expect(queue.eventsOf('visibility-lost')).toMatchObject([{ code: 'ReceiptHandleIsInvalid' }]);
    expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'lapsed' }]);
    expect(queue.handleOnce.counts()).toMatchObject({ succeeded: 1 });

    await until(() => worker.counts().acknowledged === 1);

    expect(refusing.touches(handle?.ReceiptHandle ?? '')).toHaveLength(1);
    expect(queue.handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1, replayed: 1 });
  });

  test('after a heartbeat was refused neither is a backoff set', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 }, { backoff: () => 0 });
    let refusals = 1;
    const refusing = interposedClient(client, async (call, forward) =>
      isChange(call) && refusals-- > 0 ? allFailed(call, 'ReceiptHandleIsInvalid', true) : await forward(),
    );
    await queue.send('1');
    const refused = gate();
    const worker = await queue.startWorker({
      client: refusing,
      concurrency: 1,
      handler: async (_, { number }) => {
        await refused.opened;
        if (number === 1) throw new Error('not yet');
      },
      onEvent: (event) => {
        queue.onEvent(event);
        if (event.type === 'visibility-lost') refused.open();
      },
    });
    await until(() => worker.counts().acknowledged === 1);
    const first = refusing.calls.find(isChange)?.entries[0]?.ReceiptHandle;
    expect(refusing.touches(first ?? '')).toHaveLength(1);
    expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'lapsed', visibleAfterSeconds: undefined }]);
  });

  test('after a heartbeat was refused nothing is given back', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const refusing = interposedClient(client, async (call, forward) =>
      isChange(call) ? allFailed(call, 'ReceiptHandleIsInvalid', true) : await forward(),
    );
    const blocked = gate();
    await queue.send('1');
    await queue.send('2');
    const worker = await queue.startWorker({
      client: refusing,
      concurrency: 1,
      handler: () => blocked.opened,
    });
    await until(() => worker.counts()['visibility-lost'] === 2);
    const calls = refusing.calls.length;
    const stopped = worker.stop();
    blocked.open();
    await stopped;
    expect(refusing.calls.slice(calls)).toEqual([]);
    expect(countsOf(worker)).toEqual({ received: 2, 'visibility-lost': 2, kept: 1 });
  });

  test('after its visibility lapsed under a running handler, it is deleted by the handle of its redelivery, and not by the first', async () => {
    const queue = await impatient();
    let first: string | undefined;
    const beatless = interposedClient(client, async (call, forward) => {
      if (!isChange(call)) return await forward();
      first ??= call.entries[0]?.ReceiptHandle;
      if (call.entries.some(({ ReceiptHandle }) => ReceiptHandle === first)) throw sdkError('ECONNRESET');
      return await forward();
    });
    await queue.send('1');
    const redelivered = gate();
    const worker = await queue.startWorker({
      client: beatless,
      handler: () => redelivered.opened,
      onEvent: (event) => {
        queue.onEvent(event);
        if (queue.eventsOf('received').length === 2) redelivered.open();
      },
    });

    await until(() => worker.counts().acknowledged === 1);

    expect(queue.handleOnce.counts()).toMatchObject({ claimed: 1, succeeded: 1 });
    expect(queue.handleOnce.counts()).not.toHaveProperty('replayed');
    expect(queue.eventsOf('kept').map(({ reason }) => reason)).toEqual(['in-flight']);
    const touches = beatless.touches(first ?? '');
    expect(touches.length).toBeGreaterThan(0);
    expect(touches.filter((call) => !isChange(call))).toEqual([]);
    expect(touches.flatMap(({ entries }) => entries.map((entry) => entry.VisibilityTimeout))).not.toContain(
      0,
    );
    expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
  });

  test('what lapsed while it waited for its turn is not started', async () => {
    const queue = await impatient();
    const beatless = interposedClient(client, async (call, forward) => {
      if (isChange(call)) throw sdkError('ECONNRESET');
      return await forward();
    });
    const ids = [await queue.send('1'), await queue.send('2')];
    const lapsed = gate();
    const handled: unknown[] = [];
    const worker = await queue.startWorker({
      client: beatless,
      concurrency: 1,
      handler: async (payload) => {
        handled.push(payload);
        if (handled.length === 1) await lapsed.opened;
      },
    });
    await until(() => worker.counts().received === 2);
    const receivedAt = performance.now();
    await until(() => performance.now() > receivedAt + 1_000);
    lapsed.open();
    await until(() => worker.counts().acknowledged === 2);
    // The other one has run: a redelivery may still have come in time to join it.
    const waited = ids[handled[0] === 1 ? 1 : 0];
    const left = queue.eventsOf('kept').filter(({ reason }) => reason === 'lapsed');
    expect(left.map(({ messageId }) => messageId)).toContain(waited);
    expect(handled.sort()).toEqual([1, 2]);
    expect(queue.handleOnce.counts()).toMatchObject({ claimed: 2, succeeded: 2 });
  });

  test.each(['delete', 'backoff'] as const)(
    'a heartbeat under way is waited for before the %s, and none comes after it',
    async (what) => {
      const queue = await setup({ visibilityTimeoutSeconds: 2 });
      const inTheAir = gate();
      const mayLand = gate();
      const order: string[] = [];
      const slow = interposedClient(client, async (call, forward) => {
        if (call.verb === 'ReceiveMessage' || call.verb === 'GetQueueAttributes') return await forward();
        const isBeat = isChange(call) && order.length === 0;
        order.push(isBeat ? 'heartbeat sent' : 'disposition sent');
        if (isBeat) {
          inTheAir.open();
          await mayLand.opened;
        }
        const reply = await forward();
        if (isBeat) order.push('heartbeat answered');
        return reply;
      });
      await queue.send('1');
      const worker = await queue.startWorker({
        client: slow,
        concurrency: 1,
        handler: async (_, { number }) => {
          await inTheAir.opened;
          // The engine settles first; then the heartbeat may land.
          setTimeout(() => {
            mayLand.open();
          }, 100);
          if (what === 'backoff' && number === 1) throw new Error('not yet');
        },
      });
      await until(() => (what === 'delete' ? worker.counts().acknowledged : worker.counts().kept) === 1);
      const first = slow.calls.find(isChange)?.entries[0]?.ReceiptHandle ?? '';
      await worker.stop();

      expect(order.slice(0, 3)).toEqual(['heartbeat sent', 'heartbeat answered', 'disposition sent']);
      const touches = slow.touches(first).map(({ verb }) => verb);
      const last = what === 'delete' ? 'DeleteMessageBatch' : 'ChangeMessageVisibilityBatch';
      expect(touches).toEqual(['ChangeMessageVisibilityBatch', last]);
    },
  );

  test('heartbeats end with the message: none follow a delete, however long the worker lives on', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 2 });
    const recording = interposedClient(client);
    const beats = (): number => recording.calls.filter(isChange).length;
    await queue.send('"short"');
    const worker = await queue.startWorker({
      client: recording,
      handler: (payload) => (payload === 'long' ? until(() => beats() >= 3) : undefined),
    });
    await until(() => worker.counts().acknowledged === 1);
    await queue.send('"long"');
    await until(() => worker.counts().acknowledged === 2);

    const deletes = recording.calls.filter(({ verb }) => verb === 'DeleteMessageBatch');
    for (const call of deletes) {
      const later = recording.calls.slice(recording.calls.indexOf(call) + 1);
      const handles = new Set(call.entries.map(({ ReceiptHandle }) => ReceiptHandle));
      const touched = later
        .flatMap(({ entries }) => entries)
        .filter((entry) => handles.has(entry.ReceiptHandle));
      expect(touched).toEqual([]);
    }
    expect(deletes).toHaveLength(2);
  });
}
