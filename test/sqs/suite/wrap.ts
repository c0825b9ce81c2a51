import type { Message } from '@aws-sdk/client-sqs';
import { InvalidKeyError, InvalidOptionsError, RetryableError, StoreError } from 'handle-once';
import { type SqsOptions, timeOrderedKey, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type Fixture, type Setup } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { gate, unlessAborted } from '../../support/gate.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

/** `onceEachSqsMessage` in a loop of one's own. */
export function wrapSuite({ client, setup, sql: database }: Fixture): void {
  const base = ({ queueUrl, handleOnce, onEvent }: Setup) => ({
    ...{ client, queueUrl, handleOnce, onEvent },
    onFailed: 'acknowledge' as const,
  });

  describe('Whose message it is', () => {
    test('a redelivery of a handled message is answered from its record, and deleted', async () => {
      const queue = await setup();
      const handler = vi.fn(() => 'done');
      const handle = onceEachSqsMessage(base(queue), handler);
      await queue.send('{"order":1}');
      const first = await queue.receive();
      await queue.handleOnce(first.MessageId ?? '', first.Body, () => 'done before');

      const handled = await handle(first);

      expect(handled).toMatchObject({
        action: 'acknowledged',
        outcome: { replayed: true, result: 'done before' },
      });
      expect(handler).not.toHaveBeenCalled();
      expect(queue.eventsOf('replayed')).toHaveLength(1);
      await queue.empty();
    });

    test('two messages with one business key run once, and both are deleted', async () => {
      const queue = await setup();
      const handler = vi.fn(() => 'done');
      const key = ({ MessageAttributes }: Message): string =>
        MessageAttributes?.['DeliveryId']?.StringValue ?? '';
      const handle = onceEachSqsMessage({ ...base(queue), key }, handler);
      const attributes = { DeliveryId: { DataType: 'String', StringValue: 'delivery-7' } };
      await queue.send('{"order":1}', { attributes });
      await queue.send('{"order":1}', { attributes });

      const outcomes = [
        (await handle(await queue.receive())).outcome,
        (await handle(await queue.receive())).outcome,
      ];

      expect(outcomes).toMatchObject([{ replayed: false }, { replayed: true, result: 'done' }]);
      expect(handler).toHaveBeenCalledTimes(1);
      await queue.empty();
    });

    test.each<[string, Partial<SqsOptions<undefined, unknown>>]>([
      ['ignoredFields', { ignoredFields: ['/sentAt'] }],
      [
        'fingerprint',
        {
          fingerprint: (body, { Attributes }) => [body.slice(0, 10), Attributes?.SentTimestamp === undefined],
        },
      ],
      ['no fingerprint', { fingerprint: false }],
    ])('under one key, bodies that differ are one message by %s', async (_, options) => {
      const queue = await setup();
      const handler = vi.fn(() => 'done');
      const handle = onceEachSqsMessage({ ...base(queue), key: () => 'order-1', ...options }, handler);
      await queue.send('{"order":1,"sentAt":1}');
      await queue.send('{"order":1,"sentAt":2}');

      const handled = [await handle(await queue.receive()), await handle(await queue.receive())];

      expect(handled).toMatchObject([
        { action: 'acknowledged' },
        { action: 'acknowledged', outcome: { replayed: true } },
      ]);
      expect(handler).toHaveBeenCalledTimes(1);
    });

    test('a fingerprint function that throws leaves the message, and nothing runs', async () => {
      const queue = await setup();
      const handler = vi.fn();
      const fingerprint = () => expect.unreachable('thrown by the fingerprint function');
      await queue.send('1');
      const handled = await onceEachSqsMessage(
        { ...base(queue), fingerprint },
        handler,
      )(await queue.receive());
      expect(handled).toMatchObject({ action: 'kept', error: { code: 'INVALID_OPTIONS' } });
      expect(handler).not.toHaveBeenCalled();
      expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'error' }]);
    });

    test('without a key function, equal bodies are two messages', async () => {
      const queue = await setup();
      const handler = vi.fn();
      const handle = onceEachSqsMessage(base(queue), handler);
      await queue.send('1');
      await queue.send('1');
      await handle(await queue.receive());
      await handle(await queue.receive());
      expect(handler).toHaveBeenCalledTimes(2);
    });

    test('the handler gets the parsed body, and the message with its attributes', async () => {
      const queue = await setup();
      const handler = vi.fn();
      await queue.send('{"order":1}', {
        attributes: { Tenant: { DataType: 'String', StringValue: 'acme' } },
      });
      await onceEachSqsMessage(base(queue), handler)(await queue.receive());
      expect(handler).toHaveBeenCalledWith(
        { order: 1 },
        expect.objectContaining({
          number: 1,
          scope: queue.scope,
          message: expect.objectContaining({
            Body: '{"order":1}',
            MessageAttributes: { Tenant: expect.objectContaining({ StringValue: 'acme' }) as unknown },
            Attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }) as unknown,
          }) as unknown,
        }),
      );
    });
  });

  describe('Keeping it invisible', () => {
    test('a handler that takes longer than the visibility timeout keeps its message', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 2 });
      const ends = Date.now() + 3_500;
      const handle = onceEachSqsMessage(base(queue), () => until(() => Date.now() > ends));
      await queue.send('1');
      const handled = handle(await queue.receive());

      await until(async () => {
        expect(await queue.receiveNow()).toEqual([]);
        return Date.now() > ends - 100;
      });
      expect(await handled).toMatchObject({ action: 'acknowledged' });
      await queue.empty();
    });

    test('what was received too long ago is neither started nor touched', async () => {
      const queue = await setup();
      const handler = vi.fn();
      const recording = interposedClient(client);
      const handle = onceEachSqsMessage({ ...base(queue), client: recording }, handler);
      await queue.send('1');
      const message = await queue.receive();

      const handled = await handle(message, { receivedAt: Date.now() - 5_000 });

      expect(handled).toEqual({ action: 'kept', reason: 'lapsed' });
      expect(handler).not.toHaveBeenCalled();
      expect(recording.touches(message.ReceiptHandle ?? '')).toEqual([]);
      expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'lapsed' }]);
      expect(queue.handleOnce.counts()).toEqual({});
    });
  });

  describe('Payloads', () => {
    const order = z.object({ order: z.number() });
    const failing: [name: string, body: string, options: Partial<SqsOptions<typeof order, unknown>>][] = [
      ['invalid JSON', '{"order":', {}],
      ['a body that does not fit the schema', '{"order":"one"}', { schema: order }],
      [
        'a body that `parse` throws on',
        '1',
        {
          parse: () => {
            throw new Error('no');
          },
        },
      ],
    ];
    test.each(failing)('%s fails for good at once, and does not come again', async (_, body, options) => {
      const queue = await setup();
      const handler = vi.fn();
      await queue.send(body);
      const handled = await onceEachSqsMessage(
        { ...base(queue), ...options },
        handler,
      )(await queue.receive());
      expect(handled).toMatchObject({
        action: 'acknowledged',
        outcome: { state: 'failed', reason: 'invalid-payload', attempts: 1 },
      });
      expect(handler).not.toHaveBeenCalled();
      await queue.empty();
    });

    test('a parser and a schema work one after the other', async () => {
      const queue = await setup();
      const handler = vi.fn();
      const options = { ...base(queue), parse: (text: string) => ({ order: Number(text) }), schema: order };
      await queue.send('42');
      await onceEachSqsMessage(options, handler)(await queue.receive());
      expect(handler).toHaveBeenCalledWith({ order: 42 }, expect.anything());
    });

    test('a message without a body is an empty text', async () => {
      const queue = await setup();
      const handler = vi.fn();
      await queue.send('gone');
      const message = { ...(await queue.receive()), Body: undefined };
      const handled = await onceEachSqsMessage({ ...base(queue), parse: (text) => text }, handler)(message);
      expect(handler).toHaveBeenCalledWith('', expect.anything());
      expect(handled.action).toBe('acknowledged');
    });
  });

  describe('Errors', () => {
    test('the wait that a RetryableError asks for is when the message shows again', async () => {
      const queue = await setup();
      await queue.send('1');
      const handle = onceEachSqsMessage(base(queue), () => {
        throw new RetryableError('rate limited', { retryAfterMs: 1_000 });
      });
      expect(await handle(await queue.receive())).toMatchObject({
        action: 'kept',
        visibleAfterSeconds: 1,
        outcome: { state: 'pending', reason: 'released', attempts: 1 },
      });
      const redelivered = await queue.receive();
      expect(redelivered.Attributes?.ApproximateReceiveCount).toBe('2');
      expect(await onceEachSqsMessage(base(queue), () => 'done')(redelivered)).toMatchObject({
        action: 'acknowledged',
        outcome: { state: 'succeeded', attempts: 2 },
      });
    });

    test.each([
      ['throws', () => expect.unreachable('thrown by the key function'), 'INVALID_OPTIONS', 'error'],
      ['gives an empty text', () => '', 'INVALID_KEY', 'invalid-key'],
      ['gives no text', () => undefined as unknown as string, 'INVALID_KEY', 'invalid-key'],
    ])('a key function that %s leaves the message, and nothing runs', async (_, key, code, reason) => {
      const queue = await setup();
      const handler = vi.fn();
      await queue.send('1');
      const handled = await onceEachSqsMessage({ ...base(queue), key }, handler)(await queue.receive());
      expect(handled).toMatchObject({ action: 'kept', error: { code } });
      expect(handler).not.toHaveBeenCalled();
      expect(queue.eventsOf('kept')).toMatchObject([{ reason }]);
      expect(await queue.size()).toEqual({ visible: 0, invisible: 1 });
    });

    test('a key ordered by time is of the send time and the id, and the same on every delivery', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 30 });
      const sentAfter = Date.now() - 60_000;
      const keys: string[] = [];
      const options = { ...base(queue), key: timeOrderedKey };
      const handle = onceEachSqsMessage(options, (_, { key }) => {
        keys.push(key);
        throw new RetryableError('again', { retryAfterMs: 0 });
      });
      await queue.send('1');
      const message = await queue.receive();
      await handle(message);
      await handle(await queue.receive());

      const sentAt = Number(keys[0]?.split('-')[0]);
      expect(keys).toEqual([`${sentAt}-${message.MessageId}`, keys[0]]);
      expect(sentAt).toBeGreaterThan(sentAfter);
    });

    test.each([
      ['SentTimestamp', { Attributes: undefined }],
      ['a SentTimestamp of the usual form', { Attributes: { SentTimestamp: '17' } }],
    ])('a key ordered by time is refused without %s, and never made in another form', async (_, missing) => {
      const queue = await setup();
      const handler = vi.fn();
      await queue.send('1');
      const message = { ...(await queue.receive()), ...missing };
      const handled = await onceEachSqsMessage({ ...base(queue), key: timeOrderedKey }, handler)(message);
      expect(handled).toMatchObject({ action: 'kept', reason: 'error' });
      expect((handled.error as InvalidOptionsError).cause).toEqual(
        new InvalidKeyError(
          'the message has no MessageId or no SentTimestamp: receive it with ' +
            "MessageSystemAttributeNames: ['SentTimestamp']",
        ),
      );
      expect(handler).not.toHaveBeenCalled();
    });

    test('a database that does not answer leaves the message: nothing runs, and nothing is thrown', async () => {
      const sql = postgres('postgres://postgres@127.0.0.1:1/none', { max: 1 });
      onTestFinished(() => sql.end());
      const queue = await setup({}, { store: undefined, sql });
      const handler = vi.fn();
      const recording = interposedClient(client);
      await queue.send('1');
      const message = await queue.receive();

      const handled = await onceEachSqsMessage({ ...base(queue), client: recording }, handler)(message);

      expect(handled).toMatchObject({ action: 'kept' });
      expect(handled.error).toBeInstanceOf(StoreError);
      expect(handler).not.toHaveBeenCalled();
      expect(recording.touches(message.ReceiptHandle ?? '')).toEqual([]);
      expect(await queue.size()).toEqual({ visible: 0, invisible: 1 });
    });
  });

  test('a damaged record leaves the message untouched, and nothing runs', async () => {
    const queue = await setup();
    const handler = vi.fn();
    const recording = interposedClient(client);
    await queue.send('1');
    const message = await queue.receive();
    await queue.handleOnce(message.MessageId ?? '', message.Body, () => 'done');
    await database`update handle_once.records set result = '{' where scope = ${queue.scope}`;

    const handled = await onceEachSqsMessage({ ...base(queue), client: recording }, handler)(message);

    expect(handled).toMatchObject({ action: 'kept', error: { code: 'DAMAGED_RECORD' } });
    expect(handler).not.toHaveBeenCalled();
    expect(recording.touches(message.ReceiptHandle ?? '')).toEqual([]);
  });

  describe('A signal of the loop', () => {
    test('aborted while the handler runs: it is interrupted, uncounted, and visible at once', async () => {
      const queue = await setup({ visibilityTimeoutSeconds: 30 });
      const stopping = new AbortController();
      const never = gate();
      const handle = onceEachSqsMessage(base(queue), (_, { signal }) => {
        stopping.abort(new Error('the loop stops'));
        return unlessAborted(never.opened, signal);
      });
      await queue.send('1');

      const handled = await handle(await queue.receive(), { signal: stopping.signal });

      expect(handled).toMatchObject({
        action: 'kept',
        visibleAfterSeconds: 0,
        outcome: { reason: 'released', error: { message: 'the loop stops' } },
      });
      const again = await onceEachSqsMessage(base(queue), () => 'done')(await queue.receive());
      expect(again).toMatchObject({ action: 'acknowledged', outcome: { attempts: 1 } });
    });
  });

  describe('Start-up', () => {
    test.each([
      [2_000, []],
      [2_500, ['VISIBILITY_TIMEOUT_TOO_SHORT']],
    ])(
      'a visibility timeout of 2 s and a lease of %i ms: warnings %j, and heartbeats hold for longer',
      async (leaseMs, warnings) => {
        const queue = await setup({ visibilityTimeoutSeconds: 2 }, { leaseMs });
        const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
        const recording = interposedClient(client);
        const beats = () => recording.calls.filter(({ verb }) => verb === 'ChangeMessageVisibilityBatch');
        const handle = onceEachSqsMessage({ ...base(queue), client: recording, onEvent: queue.onEvent }, () =>
          vi.waitUntil(() => beats().length > 0, { timeout: 10_000 }),
        );
        await queue.send('1');
        expect(await handle(await queue.receive())).toMatchObject({ action: 'acknowledged' });
        expect(beats()[0]?.entries).toMatchObject([{ VisibilityTimeout: leaseMs / 500 }]);
        expect(queue.eventsOf('warning').map(({ warning }) => warning)).toEqual(warnings);
        warn.mockRestore();
      },
    );

    test('a queue that does not exist is refused by name on the first message', async () => {
      const queue = await setup();
      const handle = onceEachSqsMessage({ ...base(queue), queueUrl: `${queue.queueUrl}-gone` }, () => 'done');
      await queue.send('1');
      await expect(handle(await queue.receive())).rejects.toThrow(
        /queueUrl: names a queue that does not exist/,
      );
    });

    test('attributes that cannot be read for a moment do not stop it for good', async () => {
      const queue = await setup();
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      let failures = 1;
      const flaky = interposedClient(client, ({ verb }, forward) => {
        if (verb === 'GetQueueAttributes' && failures-- > 0) throw sdkError('ECONNRESET');
        return forward();
      });
      const handle = onceEachSqsMessage({ ...base(queue), client: flaky }, () => 'done');
      await queue.send('1');
      const message = await queue.receive();
      await expect(handle(message)).rejects.toThrow(InvalidOptionsError);
      expect(await handle(message)).toMatchObject({ action: 'acknowledged' });
      warn.mockRestore();
    });

    test('many messages at once read the attributes once', async () => {
      const queue = await setup({}, { store: createMemoryStore() });
      const recording = interposedClient(client);
      const handle = onceEachSqsMessage({ ...base(queue), client: recording }, () => 'done');
      await Promise.all([queue.send('1'), queue.send('2'), queue.send('3')]);
      const messages = [await queue.receive(), await queue.receive(), await queue.receive()];
      await Promise.all(messages.map((message) => handle(message)));
      expect(recording.calls.filter(({ verb }) => verb === 'GetQueueAttributes')).toHaveLength(1);
      await queue.empty();
    });
  });
}
