import { createHandleOnce, InvalidOptionsError } from 'handle-once';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { issuesOf as issuesIn } from '../support/issues-of.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeConsumer } from './support/fake-consumer.ts';

const scoped = (scope: string) => createHandleOnce({ store: createMemoryStore(), scope });
const producer = { send: () => Promise.resolve() };
const right = {
  consumer: fakeConsumer(),
  groupId: 'workers',
  handleOnce: scoped('billing'),
  onFailed: 'acknowledge',
};
const handler = (): undefined => undefined;

const create = (options: unknown): unknown => onceEachKafkaMessage(options as never, handler);

const issuesOf = (options: unknown) => issuesIn(() => create(options));

const matching = (message: RegExp) => expect.stringMatching(message) as string;

const bodies = z.object({ id: z.string() });

test('a schema of handleOnce would get the bytes of every value: it is refused without a parse or a schema', () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', schema: bodies });
  expect(issuesOf({ ...right, handleOnce })).toEqual([
    { field: 'schema', message: matching(/so pass schema or parse here too/) },
  ]);
  expect(issuesOf({ ...right, handleOnce, schema: bodies })).toEqual([]);
  expect(issuesOf({ ...right, handleOnce, parse: String })).toEqual([]);
});

test('a missing onFailed hides no other fault', () => {
  const { onFailed, ...missing } = right;
  expect(onFailed).toBe('acknowledge');
  const retry = { topics: [{ topic: 'later', delayMs: 1_000 }], producer };
  const consumerConfig = { groupId: 'other' };
  expect(
    issuesOf({ ...missing, retry, consumerConfig })
      .map(({ field }) => field)
      .sort(),
  ).toEqual([...['admin', 'groupId', 'onFailed', 'ordering']]);
  for (const given of [missing, { ...missing, onFailed: undefined }, { ...missing, onFailed: 'no' }])
    expect(issuesOf(given)).toEqual([{ field: 'onFailed', message: matching(/^must be chosen: /) }]);
});

test.each<object>([
  {},
  { ordering: 'partition', concurrency: 1, drainMs: 0 },
  { ordering: 'key', concurrency: 1_000, drainMs: 43_200_000, admin: fakeAdmin(), fromBeginning: false },
  { ordering: 'unordered', onFailed: { deadLetterTopic: 'orders.dead_letters-1', producer } },
  { consumerConfig: { groupId: 'workers', sessionTimeout: 30_000, rackId: 'unknown to us' } },
  { consumerConfig: {}, schema: undefined, parse: undefined, key: undefined, onEvent: undefined },
  { groupId: 'größe/50%' },
  { rebalanceGraceMs: 0, fromBeginning: true },
  { batch: { size: 500 } },
  { batch: { size: 5 }, concurrency: 1_000 },
  { batch: undefined },
  { rebalanceGraceMs: 60_000, consumerConfig: {} },
  { rebalanceGraceMs: 90_000, consumerConfig: { rebalanceTimeout: 90_000 } },
])('accepts what is right: %o', (options) => {
  expect(issuesOf({ ...right, ...options })).toEqual([]);
});

test.each<[field: string, value: unknown, message: RegExp]>([
  ['consumer', undefined, /a consumer of kafkajs/],
  ['consumer', {}, /a consumer of kafkajs/],
  ...['on', 'pause', 'resume', 'run', 'stop', 'disconnect', 'seek', 'commitOffsets'].map(
    (method): [string, unknown, RegExp] => [
      'consumer',
      { ...right.consumer, [method]: undefined },
      /a consumer of kafkajs/,
    ],
  ),
  ['groupId', undefined, /id of the consumer group/],
  ['groupId', 7, /id of the consumer group/],
  ['groupId', '', /must not be empty/],
  ['groupId', 'half \ud83d', /lone surrogate/],
  ['handleOnce', undefined, /createHandleOnce/],
  ['handleOnce', () => undefined, /createHandleOnce/],
  ['schema', {}, /Standard Schema/],
  ['parse', 'json', /function of the value/],
  ['key', 'id', /function of the message/],
  ['ordering', 'offset', /'partition', 'key' or 'unordered'/],
  ['concurrency', 0, /whole number of handlers from 1 to 1,000/],
  ['concurrency', 1_001, /whole number of handlers/],
  ['concurrency', 2.5, /whole number of handlers/],
  ['onFailed', undefined, /'acknowledge' commits .*\{ deadLetterTopic, producer \} first produces a copy/],
  ['onFailed', 'delete', /must be chosen/],
  ['drainMs', -1, /whole number of milliseconds from 0 to 43,200,000/],
  ['drainMs', 43_200_001, /whole number of milliseconds/],
  ['rebalanceGraceMs', -1, /whole number of milliseconds from 0 to 43,200,000/],
  ['rebalanceGraceMs', 0.5, /whole number of milliseconds/],
  ['fromBeginning', 'yes', /true or false/],
  ['admin', {}, /a connected admin client/],
  ['admin', { describeConfigs: () => undefined }, /a connected admin client/],
  ['consumerConfig', 'workers', /object that kafka.consumer was given/],
  ['onEvent', {}, /function of one event/],
  ['fromTheBeginning', true, /not an option/],
])('refuses a wrong %s (%j) by name', (field, value, message) => {
  expect(issuesOf({ ...right, [field]: value })).toEqual([{ field, message: matching(message) }]);
});

test.each([
  ['batch', { batch: 10 }, /object/],
  ['batch.size', { batch: {} }, /whole number of messages from 2 to 500/],
  ['batch.size', { batch: { size: 1 } }, /whole number of messages from 2 to 500/],
  ['batch.size', { batch: { size: 501 } }, /whole number of messages from 2 to 500/],
  ['batch.waitMs', { batch: { size: 10, waitMs: 10 } }, /not an option/],
  ['concurrency', { batch: { size: 51 }, concurrency: 99 }, /^must be at most 98 with batch.size 51 /],
  ['maxDeaths', { batch: { size: 10 }, maxDeaths: 2 }, /at least 3 for a batch handler/],
  ['maxAttempts', { batch: { size: 10 }, maxAttempts: 1 }, /at least 2 for a batch handler/],
  ['onFailed.deadLetterTopic', { onFailed: { deadLetterTopic: 'no spaces', producer } }, /name of a topic/],
  [
    'onFailed.deadLetterTopic',
    { onFailed: { deadLetterTopic: 'x'.repeat(250), producer } },
    /name of a topic/,
  ],
  ['onFailed.deadLetterTopic', { onFailed: { deadLetterTopic: 7, producer } }, /name of a topic/],
  ['onFailed.producer', { onFailed: { deadLetterTopic: 'dead', producer: {} } }, /connected producer/],
  ['onFailed.typo', { onFailed: { deadLetterTopic: 'dead', producer, typo: 1 } }, /not an option/],
  ['consumerConfig.sessionTimeout', { consumerConfig: { sessionTimeout: '30s' } }, /milliseconds/],
  ['consumerConfig.heartbeatInterval', { consumerConfig: { heartbeatInterval: -1 } }, /milliseconds/],
  ['consumerConfig.rebalanceTimeout', { consumerConfig: { rebalanceTimeout: '60s' } }, /milliseconds/],
  ['consumerConfig.maxWaitTimeInMs', { consumerConfig: { maxWaitTimeInMs: 0.5 } }, /milliseconds/],
  ['consumerConfig.groupId', { consumerConfig: { groupId: 7 } }, /string/],
] as const)('refuses a wrong %s by name', (field, options, message) => {
  expect(issuesOf({ ...right, ...options })).toEqual([{ field, message: matching(message) }]);
});

describe('options that contradict one another', () => {
  test('a group that is not that of the consumer', () => {
    const issues = issuesOf({ ...right, consumerConfig: { groupId: 'others' } });
    expect(issues).toEqual([{ field: 'groupId', message: matching(/group of consumerConfig/) }]);
  });

  test.each([
    ['that of the consumer', 9_001, { rebalanceTimeout: 9_000 }],
    ['the default', 60_001, {}],
    ['the default, which nothing contradicts', 60_001, undefined],
  ])('a grace above the rebalance timeout: %s', (_, rebalanceGraceMs, consumerConfig) => {
    const issues = issuesOf({ ...right, rebalanceGraceMs, consumerConfig });
    expect(issues).toEqual([
      { field: 'rebalanceGraceMs', message: matching(/at most the rebalanceTimeout/) },
    ]);
  });

  test.each([
    ['a long group', 'g'.repeat(505), 'billing'],
    ['a group that is long once it is encoded', 'ß'.repeat(90), 'billing'],
    ['a long scope', 'workers', 's'.repeat(505)],
  ])('%s: their scope would be too long, and the group is named', (_, groupId, scope) => {
    const issues = issuesOf({ ...right, groupId, handleOnce: scoped(scope) });
    const message = matching(
      /scope of handleOnce, >kafka: and the percent-encoded name.*at most 512 characters, got 5[125]\d/,
    );
    expect(issues).toEqual([{ field: 'groupId', message }]);
  });

  test('the longest group that fits is accepted', () => {
    expect(issuesOf({ ...right, groupId: 'g'.repeat(512 - 'billing>kafka:'.length) })).toEqual([]);
  });
});

describe('what is compared', () => {
  const key = () => 'order-1';
  const NEEDS_KEY = /is missing, but .* need it: .* topic, partition and offset/;

  test.each([{ fingerprint: false }, { fingerprint: String }, { ignoredFields: ['/sentAt'] }])(
    'can be chosen for a key of the user’s own only: %j',
    (options) => {
      expect(issuesOf({ ...right, ...options, key })).toEqual([]);
      expect(issuesOf({ ...right, ...options })).toEqual([{ field: 'key', message: matching(NEEDS_KEY) }]);
    },
  );

  test('by handleOnce is refused the same way, and the message says by whom', () => {
    const store = createMemoryStore();
    const handleOnce = createHandleOnce({ store, scope: 'billing', ignoredFields: ['/sentAt'] });
    expect(issuesOf({ ...right, handleOnce, key })).toEqual([]);
    expect(issuesOf({ ...right, handleOnce })).toEqual([
      { field: 'key', message: matching(/ignoredFields of handleOnce need/) },
    ]);
  });

  test('is chosen in one way, and by what can choose', () => {
    const message = matching(/together with fingerprint/);
    expect(issuesOf({ ...right, key, fingerprint: false, ignoredFields: [] })).toEqual([
      { field: 'ignoredFields', message },
    ]);
    expect(issuesOf({ ...right, key, fingerprint: 'id' })).toMatchObject([{ field: 'fingerprint' }]);
    expect(issuesOf({ ...right, key, ignoredFields: 'id' })).toMatchObject([{ field: 'ignoredFields' }]);
  });
});

test('names every wrong field at once, and says who refuses', () => {
  const wrong = { ...right, consumer: 1, handleOnce: 2, ordering: 3, concurrency: 4.5, typo: 5 };
  expect(issuesOf(wrong).map(({ field }) => field)).toEqual([
    'consumer',
    'handleOnce',
    'ordering',
    'concurrency',
    'typo',
  ]);
  expect(() => create(wrong)).toThrow(/^onceEachKafkaMessage: consumer/);
});

test('quotes no value', () => {
  expect(() => create({ ...right, groupId: 'secret\ud83d', onFailed: 'secret' })).toThrow(
    expect.not.objectContaining({ message: matching(/secret/) }) as Error,
  );
});

test.each([undefined, null, 'options', []])('refuses %j in place of options', (options) => {
  expect(() => create(options)).toThrow(InvalidOptionsError);
});

test('the same handleOnce may serve many groups, and none reads another’s records', () => {
  const handleOnce = scoped('billing');
  for (const groupId of ['a', 'b']) expect(issuesOf({ ...right, groupId, handleOnce })).toEqual([]);
  expect(handleOnce.settings.scope).toBe('billing');
});
