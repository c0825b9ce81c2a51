import { createHandleOnce } from 'handle-once';
import { type KafkaAdmin, type KafkaEvent, onceEachMessage } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import postgres from 'postgres';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeConsumer } from './support/fake-consumer.ts';

const emitWarning = vi.spyOn(process, 'emitWarning');

beforeEach(() => {
  emitWarning.mockReset().mockImplementation(() => undefined);
});

const turns = () => new Promise((resolve) => setImmediate(resolve));

function consumerWith(options: object = {}) {
  const consumer = fakeConsumer();
  const events: KafkaEvent[] = [];
  const config = onceEachMessage(
    {
      consumer,
      groupId: 'workers',
      onFailed: 'commit',
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

test('the run config leaves commits to the client, and what is committed to us', () => {
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
    const asked: string[][] = [];
    const admin: KafkaAdmin = {
      describeConfigs: ({ resources }) => {
        asked.push(resources.map(({ name }) => name));
        return Promise.reject(new Error('denied'));
      },
    };
    const { consumer, warnings } = consumerWith({ admin });
    for (const assignment of [{}, { a: [0] }, { a: [1], b: [0] }, { b: [0] }, { a: [0] }])
      consumer.join(assignment);
    await turns();
    expect(asked).toEqual([['a'], ['b']]);
    expect(warnings()).toEqual(['TOPIC_UNREADABLE', 'TOPIC_UNREADABLE']);
  });
});

describe('when the consumer has crashed', () => {
  test('for good, that is told', () => {
    const { consumer, events } = consumerWith();
    consumer.crash(new RangeError('secret'), false);
    const message = 'the consumer of group workers has stopped for good (RangeError): restart it';
    expect(events).toEqual([{ type: 'warning', warning: 'CONSUMER_STOPPED', message }]);
  });

  test('and restarts by itself, nothing is told', () => {
    const { consumer, events } = consumerWith();
    consumer.crash(new Error('connection closed'), true);
    expect(events).toEqual([]);
  });
});

test('a pool that handlers in transactions can use up is warned of at once', () => {
  const sql = postgres('postgres://a@127.0.0.1:1/b', { max: 5 });
  const handleOnce = createHandleOnce({ sql, scope: 'billing' });
  const { warnings } = consumerWith({ handleOnce, inTransaction: true, concurrency: 5 });
  expect(warnings()).toEqual(['POOL_TOO_SMALL']);
});
