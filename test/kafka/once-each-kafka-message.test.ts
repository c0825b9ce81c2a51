import { createHandleOnce } from 'handle-once';
import { type KafkaEvent, onceEachKafkaMessage } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import postgres from 'postgres';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { retryCopyOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { fakeConsumer } from './support/fake-consumer.ts';
import { message } from './support/messages.ts';

const emitWarning = vi.spyOn(process, 'emitWarning');

beforeEach(() => {
  emitWarning.mockReset().mockImplementation(() => undefined);
});

const turns = () => new Promise((resolve) => setImmediate(resolve));

function consumerWith(options: object = {}) {
  const consumer = fakeConsumer();
  const events: KafkaEvent[] = [];
  const config = onceEachKafkaMessage(
    {
      consumer,
      groupId: 'workers',
      onFailed: 'acknowledge',
      fromBeginning: true,
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing' }),
      onEvent: (event) => events.push(event),
      ...options,
    },
    () => undefined,
  );
  const warnings = () => events.map((event) => (event.type === 'warning' ? event.warning : event.type));
  return { consumer, config, events, warnings };
}

const producer = { send: () => Promise.resolve() };

test('the run config has the client commit what was told, and tell nothing by itself', () => {
  const { config } = consumerWith({ concurrency: 7 });
  expect(config).toMatchObject({
    autoCommit: true,
    autoCommitInterval: 1_000,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 7,
  });
  expect(config.counts()).toEqual({});
});

test('nothing is warned of without a reason', async () => {
  const { consumer, events } = consumerWith({ onFailed: { deadLetterTopic: 'dead', producer } });
  consumer.join({ orders: [0] });
  await turns();
  expect([events, emitWarning.mock.calls]).toEqual([[], []]);
});

test('timeouts that contradict the lease are warned of at once', () => {
  const { config, warnings } = consumerWith({ consumerConfig: { sessionTimeout: 29_999 } });
  expect([warnings(), config.counts()]).toEqual([['LEASE_OUTLIVES_SESSION'], { warning: 1 }]);
  expect(emitWarning).not.toHaveBeenCalled();
  consumerWith({ consumerConfig: { sessionTimeout: 29_999 }, onEvent: undefined });
  expect(emitWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('29999'), {
    type: 'HandleOnceWarning',
    code: 'LEASE_OUTLIVES_SESSION',
  });
});

describe('where a partition begins of which nothing is committed', () => {
  test.each([
    ['is not told', {}],
    ['is its end, without an admin client to commit it', { fromBeginning: false }],
    ['is not told, with an admin client', { admin: fakeAdmin() }],
  ])('%s: that is warned of at once', (_, options) => {
    const { warnings, events } = consumerWith({ fromBeginning: undefined, ...options });
    expect(warnings()).toEqual(['START_NOT_COMMITTED']);
    expect(events).toMatchObject([
      {
        message: expect.stringMatching(
          /fromBeginning: true.* admin$|pass admin, or fromBeginning: true/,
        ) as string,
      },
    ]);
  });

  test('is its beginning: nothing is committed', async () => {
    const admin = fakeAdmin();
    const { consumer, events } = consumerWith({ admin });
    consumer.join({ orders: [0] });
    await turns();
    expect([events, consumer.calls]).toEqual([[], []]);
    expect(admin.queries).toEqual(['describeConfigs orders']);
  });

  test('is its end, which is committed before anything of it is fetched', async () => {
    const admin = fakeAdmin();
    admin.ends['orders/0'] = '7';
    const { consumer, events } = consumerWith({ fromBeginning: false, admin });
    consumer.does.commit = () => Promise.resolve(void (admin.committed['orders/0'] = '7'));
    consumer.join({ orders: [0] });
    expect(consumer.calls).toEqual(['pause orders/0']);
    await turns();
    expect(consumer.calls).toEqual([
      ...['pause orders/0', 'commit orders/0 7', 'seek orders/0 7', 'resume orders/0'],
    ]);
    expect(events).toEqual([]);
  });
});

describe('when the consumer has joined', () => {
  test('a dead-letter topic that it consumes itself is warned of, once', async () => {
    const { consumer, warnings } = consumerWith({ onFailed: { deadLetterTopic: 'dead', producer } });
    consumer.join({ orders: [0] });
    consumer.join({ orders: [0], dead: [0] });
    consumer.join({ dead: [0, 1] });
    await turns();
    expect(warnings()).toEqual(['DEAD_LETTER_TOPIC_CONSUMED']);
  });

  test('each topic is looked at once, when it is first assigned', async () => {
    const admin = Object.assign(fakeAdmin(), { error: new Error('denied') });
    const { consumer, warnings } = consumerWith({ admin });
    for (const assignment of [{}, { a: [0] }, { a: [1], b: [0] }, { b: [0] }, { a: [0] }])
      consumer.join(assignment);
    await turns();
    expect(admin.queries).toEqual(['describeConfigs a', 'describeConfigs b']);
    expect(warnings()).toEqual(['TOPIC_UNREADABLE', 'TOPIC_UNREADABLE']);
  });
});

describe('when the consumer has crashed', () => {
  test('for good, that is told', () => {
    const { consumer, events } = consumerWith();
    consumer.crash(new RangeError('secret'), false);
    const message = 'the consumer of group workers has stopped permanently (RangeError): restart it';
    expect(events).toEqual([{ type: 'warning', warning: 'CONSUMER_STOPPED', message }]);
  });

  test('since the brokers refused it, their message is there, and that a right is to be granted', () => {
    const { consumer, events } = consumerWith();
    const denied = Object.assign(new Error('Not authorized to access topics: [Topic authorization failed]'), {
      ...{ name: 'KafkaJSProtocolError', type: 'TOPIC_AUTHORIZATION_FAILED' },
    });
    consumer.crash(new Error('no retry', { cause: denied }), false);
    expect(events).toMatchObject([
      {
        message: expect.stringMatching(
          /stopped permanently \(KafkaJSProtocolError: Not authorized to access topics.*\): grant that right .* restart it$/,
        ) as string,
      },
    ]);
  });

  test('and restarts by itself, nothing is told', () => {
    const { consumer, events } = consumerWith();
    consumer.crash(new Error('connection closed'), true);
    expect(events).toEqual([]);
  });
});

test('a copy in a retry topic is its original, and in any other topic a message of its own', async () => {
  const admin = fakeAdmin({ describeGroups: () => Promise.resolve({ groups: [] }) });
  admin.committed['retry/0'] = '0';
  const retry = { topics: [{ topic: 'retry', delayMs: 1_000 }], producer };
  const { consumer, config, events } = consumerWith({ retry, admin, ordering: 'unordered' });
  await consumer.run(config as never);
  consumer.join({ retry: [0], mails: [0] });
  await turns();
  const original = { topic: 'orders', partition: 3, message: message(41) };
  const { headers } = retryCopyOf(original, 'workers');
  for (const topic of ['retry', 'mails'])
    await consumer.hand(fakeBatch([{ ...message(7), headers }], { topic, from: 7 }));
  const keys = events.flatMap((event) => (event.type === 'acknowledged' ? event.key : []));
  expect(keys).toEqual(['orders-3-41', 'mails-0-7']);
});

test('a pool that handlers in transactions can use up is warned of at once', () => {
  const sql = postgres('postgres://a@127.0.0.1:1/b', { max: 5 });
  const handleOnce = createHandleOnce({ sql, scope: 'billing' });
  const { warnings } = consumerWith({ handleOnce, inTransaction: true, concurrency: 5 });
  expect(warnings()).toEqual(['POOL_TOO_SMALL']);
});
