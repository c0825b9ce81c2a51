import { expect, test } from 'vitest';
import { isDenied, namingDenied } from '../../adapters/kafka/redrive/denied.ts';
import { createTopicCheck, isRefusal, requireTopic } from '../../adapters/kafka/redrive/topic-check.ts';

const errorOf = (type: string, cause?: unknown) => Object.assign(new Error(type, { cause }), { type });
const noCoordinator = Object.assign(new Error('gone'), { name: 'KafkaJSGroupCoordinatorNotFound' });

/** A check by an admin client that answers so, and how often that was asked. */
function setup(error?: unknown) {
  const asked: unknown[] = [];
  const admin = {
    fetchTopicMetadata(query: { topics: string[] }) {
      asked.push(query);
      return error === undefined ? Promise.resolve({ topics: [] }) : Promise.reject(error);
    },
  };
  return { asked, topics: createTopicCheck(admin) };
}

test('a topic is looked at once, and one that has refused this client is denied', async () => {
  const { asked, topics } = setup();
  expect(await Promise.all([1, 2].map(() => topics.look('orders')))).toEqual(['usable', 'usable']);
  expect(asked).toEqual([{ topics: ['orders'] }]);
  topics.deny('orders');
  expect(await topics.look('orders')).toBe('denied');
  await expect(requireTopic(topics, 'from', 'mails')).resolves.toBeUndefined();
});

test.each([
  [errorOf('UNKNOWN_TOPIC_OR_PARTITION'), 'from', /^names a topic that does not exist \(orders\)/],
  [errorOf('TOPIC_AUTHORIZATION_FAILED'), 'from', /grant Read on that topic/],
  [errorOf('TOPIC_AUTHORIZATION_FAILED'), 'to', /grant Write on that topic/],
] as const)('of %s it is said what to do about %s', async (error, field, message) => {
  await expect(requireTopic(setup(error).topics, field, 'orders')).rejects.toMatchObject({
    issues: [{ field, message: expect.stringMatching(message) as string }],
  });
});

test.each([errorOf('REQUEST_TIMED_OUT'), new Error('down'), 'down'])('%s is thrown', async (error) => {
  await expect(setup(error).topics.look('orders')).rejects.toBe(error);
});

test.each<[error: unknown, resource: 'topic' | 'group', denied: boolean]>([
  [errorOf('TOPIC_AUTHORIZATION_FAILED'), 'topic', true],
  [errorOf('TOPIC_AUTHORIZATION_FAILED'), 'group', false],
  [errorOf('RETRIES', errorOf('GROUP_AUTHORIZATION_FAILED')), 'group', true],
  [noCoordinator, 'group', true],
  [noCoordinator, 'topic', false],
  [errorOf('REQUEST_TIMED_OUT'), 'topic', false],
  ['TOPIC_AUTHORIZATION_FAILED', 'topic', false],
])('%s is a denied %s: %s', (error, resource, denied) => {
  expect(isDenied(error, resource)).toBe(denied);
});

test('an error that is its own cause is looked at once', () => {
  const error = errorOf('REQUEST_TIMED_OUT');
  error.cause = error;
  expect(isDenied(error, 'topic')).toBe(false);
});

test.each([
  [errorOf('TOPIC_AUTHORIZATION_FAILED'), { issues: [{ field: 'from' }] }],
  [noCoordinator, { issues: [{ field: 'groupId' }] }],
  [errorOf('REQUEST_TIMED_OUT'), { type: 'REQUEST_TIMED_OUT' }],
])('%s names what is denied', (error, named) => {
  expect(namingDenied(error, 'orders', 'group')).toMatchObject(named);
});

test.each([
  [errorOf('MESSAGE_TOO_LARGE'), true],
  [errorOf('REQUEST_TIMED_OUT'), false],
  [new Error('down'), false],
  [undefined, false],
])('%s is a refusal of the one message: %s', (error, expected) => {
  expect(isRefusal(error)).toBe(expected);
});
