import { createHandleOnce } from 'handle-once';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { issuesOf as issuesIn } from '../support/issues-of.ts';
import { fakeConsumer } from './support/fake-consumer.ts';

const producer = { send: () => Promise.resolve() };
const topics = [
  { topic: 'retry-1m', delayMs: 60_000 },
  { topic: 'retry-5s', delayMs: 5_000 },
];
const answers = (): Promise<[]> => Promise.resolve([]);
const admin = {
  describeConfigs: answers,
  fetchOffsets: answers,
  fetchTopicOffsets: answers,
  describeGroups: answers,
};
const right = {
  consumer: fakeConsumer(),
  groupId: 'workers',
  handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing' }),
  onFailed: { deadLetterTopic: 'dead', producer },
  fromBeginning: true,
  ordering: 'unordered',
  admin,
  retry: { topics, producer },
};

const issuesOf = (options: object) =>
  issuesIn(() => onceEachKafkaMessage({ ...right, ...options } as never, () => undefined));

const withTopics = (...given: unknown[]) => ({ retry: { topics: given, producer } });

test.each<object>([
  {},
  { retry: undefined, ordering: 'partition' },
  { onFailed: 'acknowledge' },
  withTopics({ topic: 'retry', delayMs: 1 }),
])('accepts what is right: %o', (options) => {
  expect(issuesOf(options)).toEqual([]);
});

const LIST = /list of \{ topic, delayMs \}/;

test.each<[field: string, options: object, message: RegExp]>([
  ['retry', { retry: topics }, /must be \{ topics, producer \}/],
  ['retry.producer', { retry: { topics } }, /a connected producer/],
  ['retry.topics', { retry: { producer } }, LIST],
  ['retry.topics', withTopics(), LIST],
  ['retry.topics.0', withTopics('a'), /must be \{ topic, delayMs \}/],
  ['retry.topics.0.topic', withTopics({ topic: 'no spaces', delayMs: 1 }), /name of a topic/],
  ['retry.topics.0.topic', withTopics({ delayMs: 1 }), /name of a topic/],
  ['retry.topics.0.topic', withTopics({ topic: '..', delayMs: 1 }), /name of a topic/],
  [
    'retry.topics.0.delayMs',
    withTopics({ topic: 'a', delayMs: 0 }),
    /whole number of milliseconds from 1 to/,
  ],
  ['retry.topics.0.delayMs', withTopics({ topic: 'a', delayMs: 2 ** 31 }), /to 2,147,483,647/],
  ['retry.topics.1.topic', withTopics({ topic: 'a', delayMs: 1 }, { topic: 'a', delayMs: 2 }), /given twice/],
  [
    'retry.topics.1.delayMs',
    withTopics({ topic: 'a', delayMs: 1 }, { topic: 'b', delayMs: 1 }),
    /must differ/,
  ],
  ['retry.topics.0.topic', withTopics({ topic: 'dead', delayMs: 1 }), /dead-letter topic/],
  ['ordering', { ordering: 'key' }, /must be 'unordered' with retry/],
  ['ordering', { ordering: 'partition' }, /must be 'unordered' with retry/],
  ['ordering', { ordering: undefined }, /must be 'unordered' with retry/],
  ['admin', { admin: undefined }, /connected admin client with retry/],
  ['admin', { admin: { ...admin, describeGroups: undefined } }, /connected admin client with retry/],
])('refuses a wrong %s by name: %o', (field, options, message) => {
  expect(issuesOf(options)).toEqual([{ field, message: expect.stringMatching(message) as string }]);
});
