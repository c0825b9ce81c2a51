import { createHandleOnce, InvalidOptionsError, TerminalError } from 'handle-once';
import { onceEachKafkaMessage, type OnceEachKafkaMessageOptions } from 'handle-once/kafka';
import type { KafkaConsumer } from '../../adapters/kafka/log/kafkajs-types.ts';
import { createFakeConsumer, createMemoryStore } from 'handle-once/testing';
import type { FakeRunConfig } from '../../testing/fakes/fake-consumer.ts';
import type { ConsumerRunConfig, EachBatchPayload, EachMessagePayload } from 'kafkajs';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';

async function subscribed(topics = ['orders'], options = {}) {
  const consumer = createFakeConsumer(options);
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  return consumer;
}

describe('A fake consumer', () => {
  it('gives an eachMessage what was produced, in the shape of kafkajs', async () => {
    const consumer = await subscribed();
    const seen: unknown[] = [];
    await consumer.run({
      eachMessage({ topic, partition, message }: EachMessagePayload) {
        seen.push({ topic, partition, message });
        return Promise.resolve();
      },
    });
    consumer.produce('orders', { key: 'k', value: 'v', headers: { tenant: 'acme' } });
    consumer.produce('orders', { value: null });
    await consumer.poll();
    expect(seen).toEqual([
      {
        ...{ topic: 'orders', partition: 0 },
        message: {
          ...{ key: Buffer.from('k'), value: Buffer.from('v'), offset: '0', attributes: 0 },
          timestamp: expect.stringMatching(/^\d{13}$/) as string,
          headers: { tenant: Buffer.from('acme') },
        },
      },
      {
        ...{ topic: 'orders', partition: 0 },
        message: expect.objectContaining({ key: null, value: null, offset: '1', headers: {} }) as object,
      },
    ]);
    expect(consumer.committed('orders')).toBe('2');
  });

  it('ends a poll with what eachMessage throws, and gives that message again', async () => {
    const consumer = await subscribed();
    const offsets: string[] = [];
    const fails = vi.fn().mockResolvedValueOnce(1).mockRejectedValueOnce(new Error('down'));
    await consumer.run({
      async eachMessage({ message }) {
        offsets.push(message.offset);
        await fails();
      },
    });
    for (const value of ['a', 'b', 'c']) consumer.produce('orders', { value });
    await expect(consumer.poll()).rejects.toThrow('down');
    expect(consumer.committed('orders')).toBe('1');
    await consumer.poll();
    expect(offsets).toEqual(['0', '1', '1', '2']);
  });

  it('gives an eachBatch a batch in the shape of kafkajs', async () => {
    const consumer = await subscribed();
    const seen: object[] = [];
    await consumer.run({
      eachBatchAutoResolve: false,
      async eachBatch({ batch, ...payload }: EachBatchPayload) {
        const { topic, partition, highWatermark } = batch;
        seen.push({ topic, partition, highWatermark, first: batch.firstOffset(), last: batch.lastOffset() });
        seen.push({ isEmpty: batch.isEmpty(), lag: batch.offsetLag(), low: batch.offsetLagLow() });
        seen.push({ isRunning: payload.isRunning(), isStale: payload.isStale() });
        payload.resolveOffset('0');
        await payload.heartbeat();
      },
    });
    for (const value of ['a', 'b']) consumer.produce('orders', { value });
    await consumer.poll();
    expect(seen).toEqual([
      { topic: 'orders', partition: 0, highWatermark: '2', first: '0', last: '1' },
      { isEmpty: false, lag: '0', low: '1' },
      { isRunning: true, isStale: false },
    ]);
    expect(consumer.committed('orders')).toBe('1');
  });

  it('begins where the group has committed, after a restart, and elsewhere after a seek', async () => {
    const consumer = await subscribed();
    const offsets: string[] = [];
    const config: FakeRunConfig = {
      autoCommit: false,
      eachMessage({ message }) {
        offsets.push(message.offset);
        return Promise.resolve();
      },
    };
    await consumer.run(config);
    for (const value of ['a', 'b']) consumer.produce('orders', { value });
    await consumer.poll();
    await consumer.commitOffsets([{ topic: 'orders', partition: 0, offset: '1' }]);
    await consumer.stop();
    await consumer.run(config);
    await consumer.poll();
    consumer.seek({ topic: 'orders', partition: 0, offset: '0' });
    await consumer.poll();
    expect(offsets).toEqual(['0', '1', '1', '0', '1']);
  });

  it('has a batch that a seek has made void move nothing any more', async () => {
    const consumer = await subscribed();
    const offsets: (string | null)[] = [];
    await consumer.run({
      eachBatch(payload) {
        offsets.push(payload.batch.firstOffset());
        if (offsets.length > 1) return Promise.resolve();
        consumer.seek({ topic: 'orders', partition: 0, offset: '0' });
        expect(payload.isStale()).toBe(true);
        payload.resolveOffset('1');
        return Promise.resolve();
      },
    });
    for (const value of ['a', 'b']) consumer.produce('orders', { value });
    for (const committed of [undefined, '2']) {
      await consumer.poll();
      expect(consumer.committed('orders')).toBe(committed);
    }
    expect(offsets).toEqual(['0', '0']);
  });

  it('passes over partitions that are paused', async () => {
    const consumer = await subscribed(['orders', 'mails'], { partitions: 2 });
    const seen: string[] = [];
    await consumer.run({
      eachMessage({ topic, partition }) {
        seen.push(`${topic}/${partition}`);
        return Promise.resolve();
      },
    });
    for (const topic of ['orders', 'mails'])
      for (const partition of [0, 1]) consumer.produce(topic, { value: 'a' }, partition);
    consumer.pause([{ topic: 'orders' }, { topic: 'mails', partitions: [1] }]);
    expect(consumer.paused()).toEqual([
      { topic: 'orders', partitions: [0, 1] },
      { topic: 'mails', partitions: [1] },
    ]);
    await consumer.poll();
    expect(seen.splice(0)).toEqual(['mails/0']);
    consumer.resume([{ topic: 'orders', partitions: [1] }]);
    await consumer.poll();
    expect(seen).toEqual(['orders/1']);
  });

  it.each<[string, RegExp, (consumer: ReturnType<typeof createFakeConsumer>) => unknown]>([
    ['a poll before run', /poll: must come after run/, (consumer) => consumer.poll()],
    [
      'a message of a topic that is not subscribed to',
      /subscribe: must name mails/,
      async (consumer) => {
        consumer.produce('mails', { value: 'a' });
        await consumer.run();
        await consumer.poll();
      },
    ],
    [
      'a partition that is not there',
      /partition: must be/,
      (consumer) => consumer.produce('mails', { value: 'a' }, 1),
    ],
    ['a pattern', /topics: must be strings/, (consumer) => consumer.subscribe({ topics: [/./] })],
  ])('refuses %s', async (_, message, act) => {
    const refused: unknown = await Promise.resolve(createFakeConsumer())
      .then(act)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect((refused as Error).message).toMatch(message);
  });

  it('refuses wrong options', () => {
    expect(() => createFakeConsumer({ partitions: 0 })).toThrow(InvalidOptionsError);
  });
});

it('A fake consumer has the types of kafkajs, as far as they go', () => {
  expectTypeOf<ReturnType<typeof createFakeConsumer>>().toExtend<KafkaConsumer>();
  expectTypeOf<Pick<ConsumerRunConfig, 'eachBatch' | 'eachMessage'>>().toExtend<FakeRunConfig>();
});

/** What `act` throws or rejects with. */
async function caught(act: () => unknown): Promise<unknown> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error;
  }
}

it('A fake consumer refuses to subscribe while it runs, as kafkajs does', async () => {
  const consumer = await subscribed();
  await consumer.run({ eachMessage: () => Promise.resolve() });
  expect(await caught(() => consumer.subscribe({ topics: ['late'] }))).toMatchObject({
    ...{ name: 'KafkaJSNonRetriableError', retriable: false },
    message: 'Cannot subscribe to topic while consumer is running',
  });
  await consumer.stop();
  expect(await caught(() => consumer.subscribe({ topics: ['late'] }))).toBeUndefined();
});

describe('A fake consumer that is used wrongly', () => {
  type Consumer = ReturnType<typeof createFakeConsumer>;
  const message = { value: 'a' };
  const produce =
    (...given: unknown[]) =>
    (consumer: Consumer) =>
      consumer.produce(...(given as ['orders', typeof message]));

  it.each<[string, (consumer: Consumer) => unknown]>([
    ['topic', produce(undefined, message)],
    ['message', produce('orders', 'a')],
    ['message.value', produce('orders', {})],
    ['message.value', produce('orders', { value: { id: 'order-7' } })],
    ['message.key', produce('orders', { key: 7, value: 'a' })],
    ['message.headers.tenant', produce('orders', { value: 'a', headers: { tenant: 1 } })],
    ['partition', produce('orders', message, '0')],
    ['eachMessage', (consumer) => consumer.run({ eachMessage: {} as never })],
    ['autoCommit', (consumer) => consumer.run({ autoCommit: 'no' as never })],
    ['', (consumer) => consumer.run(null as never)],
    ['', (consumer) => consumer.subscribe('orders' as never)],
    ['topics', (consumer) => consumer.subscribe({})],
    ['fromBeginning', (consumer) => consumer.subscribe({ topic: 'orders', fromBeginning: 1 as never })],
  ])('refuses a wrong %s', async (field, act) => {
    const refused: unknown = await Promise.resolve(createFakeConsumer())
      .then(act)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect(refused).toMatchObject({ issues: [{ field }] });
  });

  const position = { topic: 'orders', partition: 0, offset: '0' };
  const seek = (more: object) => (consumer: Consumer) => {
    consumer.seek({ ...position, ...more });
  };

  it.each<[string, (consumer: Consumer) => unknown]>([
    ['seek: topic', seek({ topic: 7 })],
    ['seek: partition', seek({ partition: '0' })],
    ['seek: offset', seek({ offset: '-2' })],
    ['seek: offset', seek({ offset: undefined })],
    [
      'pause: must be a list',
      (consumer) => {
        consumer.pause('orders' as never);
      },
    ],
    [
      'pause: 0: must be an object',
      (consumer) => {
        consumer.pause(['orders' as never]);
      },
    ],
    [
      'pause: 0.topic',
      (consumer) => {
        consumer.pause([{ topic: '' }]);
      },
    ],
    [
      'resume: 0.partitions',
      (consumer) => {
        consumer.resume([{ topic: 'orders', partitions: 0 as never }]);
      },
    ],
    [
      'resume: 1.partitions.0',
      (consumer) => {
        consumer.resume([{ topic: 'orders' }, { topic: 'mails', partitions: ['0' as never] }]);
      },
    ],
    ['commitOffsets: must be a list', (consumer) => consumer.commitOffsets(position as never)],
    ['commitOffsets: 0.offset', (consumer) => consumer.commitOffsets([{ ...position, offset: 5 as never }])],
    ['commitOffsets: 0.partition', (consumer) => consumer.commitOffsets([{ ...position, partition: NaN }])],
    [
      'commitOffsets: 0.metadata',
      (consumer) => consumer.commitOffsets([{ ...position, metadata: 5 as never }]),
    ],
  ])('throws at %s what kafkajs throws', async (place, act) => {
    const consumer = await subscribed();
    await consumer.run({});
    const refused = await caught(() => act(consumer));
    expect(refused).toMatchObject({ name: 'KafkaJSNonRetriableError', retriable: false });
    expect((refused as Error).message).toContain(`createFakeConsumer ${place}`);
    expect(consumer.paused()).toEqual([]);
    expect(consumer.committed('orders')).toBeUndefined();
  });

  it.each<[string, (consumer: Consumer) => unknown]>([
    ['seek', seek({})],
    [
      'pause',
      (consumer) => {
        consumer.pause([{ topic: 'orders' }]);
      },
    ],
    [
      'resume',
      (consumer) => {
        consumer.resume([{ topic: 'orders' }]);
      },
    ],
    ['commitOffsets', (consumer) => consumer.commitOffsets([position])],
  ])('throws at %s before run, and after stop, as kafkajs does', async (_, act) => {
    const consumer = await subscribed();
    const refused = {
      name: 'KafkaJSNonRetriableError',
      message: expect.stringContaining('after run') as string,
    };
    expect(await caught(() => act(consumer))).toMatchObject(refused);
    await consumer.run({});
    expect(await caught(() => act(consumer))).toBeUndefined();
    await consumer.stop();
    expect(await caught(() => act(consumer))).toMatchObject(refused);
  });

  it('refuses to seek in a partition that is not there', async () => {
    const consumer = await subscribed();
    await consumer.run({});
    expect(
      await caught(() => {
        seek({ partition: 1 })(consumer);
      }),
    ).toBeInstanceOf(InvalidOptionsError);
  });

  it.each<[string, (consumer: Consumer) => Promise<void>]>([
    ['subscribe', (consumer) => consumer.subscribe({ topics: [7] })],
    ['run', (consumer) => consumer.run({ eachBatch: 1 as never })],
  ])('rejects, and does not throw, from %s', async (_, act) => {
    let promise: Promise<void> | undefined;
    expect(() => {
      promise = act(createFakeConsumer());
    }).not.toThrow();
    await expect(promise).rejects.toThrow(InvalidOptionsError);
  });
});

describe('The wiring of a Kafka consumer, on a fake one,', () => {
  async function wired(
    handler: () => unknown,
    options: Partial<OnceEachKafkaMessageOptions<undefined, unknown>> = {},
  ) {
    const consumer = await subscribed();
    const store = createMemoryStore();
    const handleOnce = createHandleOnce({
      store,
      scope: 'billing',
      backoff: () => 60_000,
      onEvent: () => undefined,
    });
    const config = onceEachKafkaMessage(
      {
        ...{ consumer, groupId: 'workers', handleOnce, onFailed: 'acknowledge', fromBeginning: true },
        ...options,
        onEvent: () => undefined,
      },
      handler,
    );
    await consumer.run(config);
    return { consumer, store, config };
  }

  it('commits what is handled, and does not run it again', async () => {
    const handled = vi.fn();
    const { consumer, store } = await wired(handled);
    for (const value of ['a', 'b']) consumer.produce('orders', { value });
    await consumer.poll();
    expect(consumer.committed('orders')).toBe('2');
    consumer.seek({ topic: 'orders', partition: 0, offset: '0' });
    await consumer.poll();
    expect(handled).toHaveBeenCalledTimes(2);
    expect(store.records().map(({ scope, key }) => `${scope} ${key}`)).toEqual([
      'billing>kafka:workers orders-0-0',
      'billing>kafka:workers orders-0-1',
    ]);
    await consumer.stop();
  });

  it('dedupes by a business key', async () => {
    const handled = vi.fn();
    const { consumer } = await wired(handled, { key: ({ key }) => key?.toString() });
    for (const value of ['a', 'a']) {
      consumer.produce('orders', { key: 'order-7', value });
      await consumer.poll();
    }
    expect(handled).toHaveBeenCalledTimes(1);
    expect(consumer.committed('orders')).toBe('2');
    await consumer.stop();
  });

  it('withholds a message that failed, and gives it again after a restart', async () => {
    const handled = vi.fn().mockRejectedValueOnce(new Error('down'));
    const { consumer, store, config } = await wired(handled);
    for (const value of ['a', 'b']) consumer.produce('orders', { value });
    await consumer.poll();
    expect(consumer.committed('orders')).toBe('0');
    expect(consumer.paused()).toEqual([{ topic: 'orders', partitions: [0] }]);
    await consumer.stop();
    store.advance(60_000);
    await consumer.run(config);
    await consumer.poll();
    expect(handled).toHaveBeenCalledTimes(3);
    expect(consumer.committed('orders')).toBe('2');
    await consumer.stop();
  });

  it('produces a dead letter of a message that failed for good', async () => {
    const send = vi.fn().mockResolvedValue([]);
    const { consumer } = await wired(
      () => {
        throw new TerminalError('the card is blocked');
      },
      { onFailed: { deadLetterTopic: 'orders-failed', producer: { send } } },
    );
    consumer.produce('orders', { value: 'a' });
    await consumer.poll();
    expect(send).toHaveBeenCalledWith(expect.objectContaining({ topic: 'orders-failed' }));
    expect(consumer.committed('orders')).toBe('1');
    await consumer.stop();
  });
});
