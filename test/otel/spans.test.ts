import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createHandleOnce, type HandleOnce, type HandleOnceOptions, type MessageSource } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { telemetry, useContexts } from './support/in-memory.ts';

useContexts();

type Options = Partial<HandleOnceOptions>;

function bench() {
  const observed = telemetry();
  const given: Options = { around: observed.around, backoff: () => 0, onEvent: () => undefined };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', ...given });
  return { ...observed, handleOnce };
}

/** Handles the message `7` of a broker that is not ours. */
async function deliver(handleOnce: HandleOnce, source: MessageSource): Promise<void> {
  const handle = onceEach(
    {
      handleOnce,
      key: (id: string) => id,
      body: (id) => id,
      acknowledge: () => undefined,
      onFailed: 'keep',
      source: () => source,
    },
    () => undefined,
  );
  await handle('7');
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

describe('A span', () => {
  test('is of each attempt, and active in its handler, also where calls share statements', async () => {
    const { handleOnce, named, tracer } = bench();
    const keys = Array.from({ length: 20 }, (_, n) => `order-${n}`);
    await Promise.all(
      keys.map((key) =>
        handleOnce(key, 'body', async () => {
          await Promise.resolve();
          tracer.startSpan(`inside ${key}`).end();
        }),
      ),
    );
    const attempts = named('process billing');
    expect(attempts.map(({ kind }) => kind)).toEqual(keys.map(() => SpanKind.CONSUMER));
    expect(attempts.map(({ attributes }) => attributes['handle_once.key']).toSorted()).toEqual(
      keys.toSorted(),
    );
    for (const attempt of attempts) {
      const [inside] = named(`inside ${String(attempt.attributes['handle_once.key'])}`);
      expect(parentOf(inside)).toBe(idOf(attempt));
    }
  });

  test('is in the context of its caller, also where calls share statements', async () => {
    const { handleOnce, ended, named, tracer } = bench();
    const keys = Array.from({ length: 20 }, (_, n) => `order-${n}`);
    await Promise.all(
      keys.map((key) =>
        tracer.startActiveSpan(`caller of ${key}`, async (caller) => {
          await handleOnce(key, 'body', () => 1);
          tracer.startSpan(`after ${key}`).end();
          caller.end();
        }),
      ),
    );
    for (const key of keys) {
      const [caller] = named(`caller of ${key}`);
      const attempt = ended().find(({ attributes }) => attributes['handle_once.key'] === key);
      expect(parentOf(attempt)).toBe(idOf(caller));
      expect(parentOf(named(`after ${key}`)[0])).toBe(idOf(caller));
    }
  });

  test('is not of a duplicate, which has no attempt', async () => {
    const { handleOnce, ended } = bench();
    await handleOnce('1', 'body', () => 1);
    await handleOnce('1', 'body', () => 1);
    expect(ended()).toHaveLength(1);
  });

  test('says what was thrown, and which attempt it was', async () => {
    const { handleOnce, ended } = bench();
    for (const error of [new TypeError('no card'), 'not an error']) {
      await handleOnce('1', 'body', () => {
        // oxlint-disable-next-line typescript/only-throw-error -- as a handler can
        throw error;
      });
    }
    expect(ended()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR, message: 'no card' },
        attributes: { 'error.type': 'TypeError', 'handle_once.attempt': 1 },
        events: [{ name: 'exception' }],
      },
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': '_OTHER', 'handle_once.attempt': 2 },
        events: [],
      },
    ]);
  });

  test('is of each message of a batch with its size, and that of the first is active in its handler', async () => {
    const { handleOnce, named, tracer } = bench();
    const keys = ['1', '2', '3'];
    await handleOnce.batch(
      keys.map((key) => ({ key, payload: key })),
      () => {
        tracer.startSpan('inside').end();
      },
    );
    const attempts = named('process billing');
    expect(attempts.map(({ attributes }) => attributes['handle_once.key'])).toEqual(keys);
    expect(attempts.map(({ attributes }) => attributes['messaging.batch.message_count'])).toEqual([3, 3, 3]);
    expect(named('inside').map(parentOf)).toEqual([idOf(attempts[0])]);
    await handleOnce('4', 'body', () => undefined);
    expect(named('process billing')[3]?.attributes).not.toHaveProperty('messaging.batch.message_count');
  });

  test('is named by where the message came from, and linked to what sent it', async () => {
    const { handleOnce, ended } = bench();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await deliver(handleOnce, {
      system: 'kafka',
      destination: 'orders',
      partition: 3,
      offset: '42',
      consumerGroup: 'billing',
      header: (name) => (name === 'traceparent' ? traceparent : undefined),
    });
    const [span] = ended();
    expect(span).toMatchObject({ name: 'process orders', kind: SpanKind.CONSUMER });
    expect(span?.attributes).toEqual({
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.system': 'kafka',
      'messaging.destination.name': 'orders',
      'messaging.destination.partition.id': '3',
      'messaging.kafka.offset': 42,
      'messaging.consumer.group.name': 'billing',
      'handle_once.scope': 'billing',
      'handle_once.key': '7',
      'handle_once.attempt': 1,
    });
    expect(span?.links).toMatchObject([
      { context: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' } },
    ]);
    expect(parentOf(span)).toBeUndefined();
  });

  const ofBroker = { system: 'aws_sqs', destination: 'orders', header: () => undefined };
  const ofWebhook = { destination: 'stripe', header: () => undefined };
  const processing = { 'messaging.operation.type': 'process' };

  test.each([
    ['a span that processes the message', SpanKind.CONSUMER, processing, ofBroker, SpanKind.INTERNAL],
    [
      'a span that received it',
      SpanKind.CONSUMER,
      { 'messaging.operation.type': 'receive' },
      ofBroker,
      SpanKind.CONSUMER,
    ],
    ['a server, for a message of a broker', SpanKind.SERVER, {}, ofBroker, SpanKind.CONSUMER],
    ['a server, for a webhook', SpanKind.SERVER, {}, ofWebhook, SpanKind.INTERNAL],
    ['any other span', SpanKind.INTERNAL, {}, ofBroker, SpanKind.CONSUMER],
  ])('inside %s: no message has two consumer spans', async (_, kind, attributes, source, expected) => {
    const { handleOnce, ended, tracer } = bench();
    await tracer.startActiveSpan('outer', { kind, attributes }, async (outer) => {
      await deliver(handleOnce, source);
      outer.end();
    });
    const [span, outer] = ended();
    expect(span?.kind).toBe(expected);
    expect(parentOf(span)).toBe(idOf(outer));
  });

  test('is not begun where its caller has suppressed tracing', async () => {
    const { handleOnce, ended, around } = bench();
    await context.with(suppressTracing(context.active()), async () => {
      await handleOnce('1', 'body', () => 1);
      await around.consumer?.(() => handleOnce('2', 'body', () => 1));
    });
    expect(ended()).toEqual([]);
  });

  test('is the only one of a consumer’s message: those of its client are suppressed', async () => {
    const { handleOnce, ended, named, tracer, around } = bench();
    const poll = tracer.startSpan('poll');
    await around.consumer?.(async () => {
      expect(isTracingSuppressed(context.active())).toBe(true);
      tracer.startSpan('process orders, as the client sees it').end();
      await context.with(trace.setSpan(context.active(), poll), () =>
        handleOnce('1', 'body', () => {
          expect(isTracingSuppressed(context.active())).toBe(false);
          tracer.startSpan('inside').end();
        }),
      );
    });
    expect(ended().map(({ name }) => name)).toEqual(['inside', 'process billing']);
    expect(parentOf(named('inside')[0])).toBe(idOf(named('process billing')[0]));
    expect(parentOf(named('process billing')[0])).toBe(poll.spanContext().spanId);
  });
});
