import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchOf } from '../../adapters/kafka/client/kafkajs.ts';
import { deadLetterOf } from '../../adapters/kafka/log/dead-letter.ts';
import { createTaker, type ReadOptions } from '../../adapters/kafka/redrive/dead-letter-taker.ts';
import { isDenied, namingDenied } from '../../adapters/kafka/redrive/denied.ts';
import { ownerOf } from '../../adapters/kafka/redrive/owner-of.ts';
import { createTopicCheck, isRefusal, requireTopic } from '../../adapters/kafka/redrive/topic-check.ts';
import { TopicProgress } from '../../adapters/kafka/redrive/topic-progress.ts';
import { originalOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

const errorOf = (type: string, cause?: unknown) => Object.assign(new Error(type, { cause }), { type });
const noCoordinator = Object.assign(new Error('gone'), { name: 'KafkaJSGroupCoordinatorNotFound' });

/** A check by an admin client that answers so, and how often that was asked. */
function setup(error?: Error) {
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

test.each([errorOf('REQUEST_TIMED_OUT'), new Error('down')])('%s is thrown', async (error) => {
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

const SCOPE = 'billing>kafka:workers';
const ORIGINAL = { topic: 'orders', partition: 3, message: { ...message(41), headers: { trace: 'x' } } };

/** The dead letter of a message, as it is fetched. */
function deadLetter(changes: Record<string, string | undefined> = {}) {
  const facts = { scope: SCOPE, key: 'orders-3-41', errorText: 'Error: no', attempts: 3 };
  const made = deadLetterOf(ORIGINAL, facts);
  return { ...message(7, { timestamp: '1800000000000' }), ...made, headers: { ...made.headers, ...changes } };
}

test('a dead letter names its record, and its copy is the original to the group', () => {
  const owner = ownerOf(deadLetter(), SCOPE);
  expect(owner).toMatchObject({
    ...{ scope: SCOPE, key: 'orders-3-41', isOwn: true, namesScope: true, attempts: 3, topic: 'orders' },
    sentAt: new Date(1_800_000_000_000),
  });
  expect(ownerOf(deadLetter(), undefined)).toEqual(owner);
  if ('kept' in owner) throw new Error(owner.kept);
  const original = originalOf({ ...message(0), ...owner.copy }, 'workers');
  expect(original).toMatchObject({ topic: 'orders', partition: 3, message: { offset: '41' } });
  expect(original?.message.timestamp).toBe(ORIGINAL.message.timestamp);
  expect(original?.message.headers).toEqual({ trace: 'x' });
});

test.each<[kept: string, changes: Record<string, string | undefined>]>([
  ['refused', { 'handle-once-attempts': '0' }],
  ['other-scope', { 'handle-once-scope': 'mail>kafka:workers' }],
  ['no-identity', { 'handle-once-scope': undefined }],
  ['no-identity', { 'handle-once-scope': 'billing' }],
  ['no-identity', { 'handle-once-key': undefined }],
  ['no-identity', { 'handle-once-topic': undefined }],
  ['no-identity', { 'handle-once-partition': undefined }],
  ['no-identity', { 'handle-once-offset': 'x' }],
  ['no-identity', { 'handle-once-timestamp': undefined }],
])('a dead letter is kept as %s: %j', (kept, changes) => {
  expect(ownerOf(deadLetter(changes), SCOPE)).toEqual({ kept });
});

describe('A fetch of dead letters', () => {
  /** Two dead letters, of which `take` decides. Gives what it was handed, what the client was told, and commits. */
  async function taken(
    take: (batch: ReturnType<typeof fakeBatch>, isOurs: () => boolean) => ReturnType<ReadOptions['take']>,
    isOver = false,
  ) {
    const [offsets, commits]: [string[], string[]] = [[], []];
    const batch = fakeBatch([message(0), message(1)], { topic: 'dead' });
    const taker = createTaker({
      consumer: {
        commitOffsets: ([{ offset }]: [{ offset: string }]) => Promise.resolve(commits.push(offset)),
      } as never,
      partitions: [],
      progress: new TopicProgress(new Map([[0, 10n]])),
      options: {
        ...{ kafka: undefined as never, topic: 'dead', groupId: 'g', commits: true, isOver: () => isOver },
        admin: {
          fetchOffsets: () =>
            Promise.resolve([{ topic: 'dead', partitions: [{ partition: 0, offset: '-1', metadata: '' }] }]),
        } as never,
        take({ message: { offset }, isOurs }) {
          offsets.push(offset);
          return take(batch, isOurs);
        },
      },
    });
    await taker.joined([0]);
    await taker.take(fetchOf(batch));
    return { offsets, commits, resolved: batch.resolved };
  }

  test('is taken in order, and committed once it is done', async () => {
    const { offsets, commits, resolved } = await taken(() => Promise.resolve('passed'));
    expect([offsets, commits, resolved]).toEqual([
      ['0', '1'],
      ['1', '2'],
      ['0', '1', '1'],
    ]);
  });

  test.each<[why: string, change: (batch: ReturnType<typeof fakeBatch>) => void]>([
    ['the client stops', ({ does }) => (does.isRunning = false)],
    ['a seek has made it void', ({ does }) => (does.isStale = true)],
  ])('is left where %s', async (_, change) => {
    const { offsets } = await taken((batch, isOurs) => {
      change(batch);
      expect(isOurs()).toBe(false);
      return Promise.resolve('passed');
    });
    expect(offsets).toEqual(['0']);
  });

  test('is left where a heartbeat says that the group rebalances', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { offsets } = await taken(async ({ does }, isOurs) => {
      does.heartbeat = () => Promise.reject(new Error('rebalancing'));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(isOurs()).toBe(false);
      return 'passed';
    });
    expect([offsets, vi.getTimerCount()]).toEqual([['0'], 0]);
  });

  test('ends at one that was not touched, and does not begin where all is over', async () => {
    const untouched = await taken(() => Promise.resolve('untouched'));
    expect(untouched).toEqual({ offsets: ['0'], commits: [], resolved: [] });
    expect((await taken(() => Promise.resolve('passed'), true)).offsets).toEqual([]);
  });
});
