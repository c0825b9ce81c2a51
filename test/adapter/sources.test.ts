import { type Around, type BeginningAttempt, createHandleOnce, type HandleOnce } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { onceEachRequest } from 'handle-once/http';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, test, vi } from 'vitest';
import { receivedSource } from '../../adapters/shared/sqs/message-source.ts';
import { bench as kafkaBench } from '../kafka/support/bench.ts';
import { fakeBatch } from '../kafka/support/fake-batch.ts';
import { message } from '../kafka/support/messages.ts';
import { ample, kafkaRecord, mskEvent, sqsEvent, sqsRecord } from '../lambda/support/events.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const X_RAY = 'Root=1-5759e988-bd862e3fe1be46a994272793';

interface Bench {
  readonly handleOnce: HandleOnce;
  readonly seen: BeginningAttempt[];
}

function bench(): Bench {
  const seen: BeginningAttempt[] = [];
  const around: Around = (attempt, run) => {
    seen.push(attempt);
    return run();
  };
  return { seen, handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing', around }) };
}

function headersOf({ seen: [attempt] }: Bench, ...names: string[]): (string | undefined)[] {
  return names.map((name) => attempt?.source?.header(name));
}

describe('Where a message came from, as the around hook gets it,', () => {
  test('is undefined for a call of handleOnce', async () => {
    const bed = bench();
    await bed.handleOnce('1', 'body', () => 1);
    expect(bed.seen).toMatchObject([{ scope: 'billing', key: '1', number: 1, source: undefined }]);
  });

  test('is of a queue, by its URL', () => {
    const source = receivedSource('https://sqs.eu-west-1.amazonaws.com/123456789012/orders', {
      MessageId: 'm-1',
      Attributes: { AWSTraceHeader: X_RAY },
      MessageAttributes: { traceparent: { StringValue: PARENT } },
    });
    expect(source).toMatchObject({ system: 'aws_sqs', destination: 'orders', messageId: 'm-1' });
    const names = ['traceparent', 'x-amzn-trace-id', 'tracestate'];
    expect(names.map(source.header)).toEqual([PARENT, X_RAY, undefined]);
  });

  test('is of a queue without attributes', () => {
    const { destination, header } = receivedSource('orders.fifo', {});
    expect([destination, header('traceparent'), header('x-amzn-trace-id')]).toEqual([
      'orders.fifo',
      undefined,
      undefined,
    ]);
  });

  test('is of a queue of a Lambda function, by its ARN', async () => {
    const bed = bench();
    const handler = onceEachSqsRecord({ handleOnce: bed.handleOnce }, () => undefined);
    const messageAttributes = { traceparent: { stringValue: PARENT, dataType: 'String' } };
    const record = sqsRecord('m-1', '{}', { messageAttributes });
    const attributes = { ...record.attributes, AWSTraceHeader: X_RAY };
    await handler(sqsEvent({ ...record, attributes }), ample());
    expect(bed.seen[0]?.source).toMatchObject({
      system: 'aws_sqs',
      destination: 'my-queue',
      messageId: 'm-1',
    });
    expect(headersOf(bed, 'traceparent', 'x-amzn-trace-id')).toEqual([PARENT, X_RAY]);
  });

  test('is of a topic of a Lambda function', async () => {
    const bed = bench();
    const { handleOnce } = bed;
    const handler = onceEachKafkaRecord(
      { groupId: 'workers', handleOnce, onFailed: 'keep' },
      () => undefined,
    );
    const headers = [{ traceparent: [...Buffer.from(PARENT)] }];
    await handler(mskEvent(kafkaRecord('orders', 3, 42, '{}', { headers })), ample());
    expect(bed.seen[0]?.source).toMatchObject({
      system: 'kafka',
      destination: 'orders',
      partition: 3,
      offset: '42',
      consumerGroup: 'workers',
    });
    expect(headersOf(bed, 'traceparent')).toEqual([PARENT]);
  });

  test('is of a topic, and of a header that came twice it is the first', async () => {
    const bed = bench();
    const { run } = kafkaBench({ handleOnce: bed.handleOnce });
    const headers = { traceparent: [Buffer.from(PARENT), 'another'], text: 'as it is', none: undefined };
    const handled = run(fakeBatch([{ ...message(42), headers }]));
    await vi.waitFor(() => {
      expect(handled.state).toBe('ended');
    });
    expect(bed.seen[0]?.source).toMatchObject({
      system: 'kafka',
      destination: 'orders',
      partition: 0,
      offset: '42',
      consumerGroup: 'workers',
    });
    expect(headersOf(bed, 'traceparent', 'text', 'none')).toEqual([PARENT, 'as it is', undefined]);
  });

  test('is of a webhook’s sender, whose headers have names in any case', async () => {
    const bed = bench();
    const handle = onceEachWebhook(
      { handleOnce: bed.handleOnce, source: 'github', verify: 'already-verified' },
      () => undefined,
    );
    await handle({ headers: { 'X-GitHub-Delivery': '7', Traceparent: PARENT }, body: '{}' });
    expect(bed.seen[0]?.source).toMatchObject({ destination: 'github' });
    expect(bed.seen[0]?.source?.system).toBeUndefined();
    expect(headersOf(bed, 'traceparent', 'TraceParent')).toEqual([PARENT, PARENT]);
  });

  test('is undefined for an HTTP request, which is inside a span of its server', async () => {
    const bed = bench();
    const handle = onceEachRequest(
      { handleOnce: bed.handleOnce, route: '/charges', principal: null },
      () => new Response('done'),
    );
    const headers = { 'Idempotency-Key': '"7"' };
    await handle(new Request('http://127.0.0.1/charges', { method: 'POST', headers, body: '{}' }));
    expect(bed.seen).toMatchObject([{ number: 1, source: undefined }]);
  });

  const given = {
    key: (id: string) => id,
    body: (id: string) => id,
    acknowledge: () => undefined,
    onFailed: 'keep',
  } as const;

  test('is what a broker of your own says, and is asked only where there is a hook', async () => {
    const bed = bench();
    const source = vi.fn(() => ({ destination: 'jobs', header: () => undefined }));
    await onceEach({ ...given, handleOnce: bed.handleOnce, source }, () => undefined)('7');
    expect(bed.seen[0]?.source).toMatchObject({ destination: 'jobs' });
    const without = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
    await onceEach({ ...given, handleOnce: without, source }, () => undefined)('7');
    expect(source).toHaveBeenCalledTimes(1);
  });

  test('can throw where a broker of your own says it: the handler runs all the same', async () => {
    const bed = bench();
    const source = () => {
      throw new Error('no header');
    };
    const handler = vi.fn();
    const handled = await onceEach({ ...given, handleOnce: bed.handleOnce, source }, handler)('7');
    expect(handled).toMatchObject({ action: 'acknowledged' });
    expect(handler).toHaveBeenCalledTimes(1);
  });
});

test('the start of a Kafka consumer is inside the hook, and throws what that throws', async () => {
  const calls: string[] = [];
  const around: Around = Object.assign(((_, run) => run()) satisfies Around, {
    async consumer<Result>(start: () => Promise<Result>): Promise<Result> {
      calls.push('before');
      const started = await start();
      calls.push('after');
      return started;
    },
  });
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', around });
  const { consumer } = kafkaBench({ handleOnce });
  await consumer.run();
  calls.length = 0;
  consumer.does.run = () => {
    calls.push('run');
    return Promise.resolve();
  };
  await consumer.run();
  expect(calls).toEqual(['before', 'run', 'after']);
  consumer.does.run = () => Promise.reject(new Error('no broker'));
  await expect(consumer.run()).rejects.toThrow('no broker');
});
