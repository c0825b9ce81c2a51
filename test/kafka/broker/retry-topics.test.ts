import { type Attempt, RetryableError, TerminalError } from 'handle-once';
import type { KafkaDelivery } from 'handle-once/kafka';
import type { KafkaProducer } from '../../../adapters/kafka/log/kafkajs-types.ts';
import type { RetryTopic } from '../../../adapters/kafka/options/retry-options.ts';
import type { IHeaders } from 'kafkajs';
import { expect, onTestFinished, test } from 'vitest';
import { isKafkaJs, readsTopicSettings } from './support/client.ts';
import { leave, numbered, type Setup, useFixture } from './support/fixture.ts';
import { expectSoon, until } from '../../support/until.ts';

const { kafka, setup } = useFixture();

type Delivery = KafkaDelivery<Buffer | null>;

const FIRST_DELAY_MS = 200;
const SECOND_DELAY_MS = 600;
const BACKOFF_MS = 50;

async function connectedProducer() {
  const producer = kafka.kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}

/** A group with two retry topics, and the options of its members. */
async function setupWithRetry(maxAttempts = 5) {
  const group = await setup({}, { maxAttempts, backoff: () => BACKOFF_MS });
  const [first, second] = await Promise.all([kafka.createTopic(), kafka.createTopic()]);
  // Not in the order of their delays.
  const topics: RetryTopic[] = [
    { topic: second, delayMs: SECOND_DELAY_MS },
    { topic: first, delayMs: FIRST_DELAY_MS },
  ];
  const producer = await connectedProducer();
  const options = {
    retry: { topics, producer },
    ordering: 'unordered',
    admin: kafka.admin,
    otherTopics: [first, second],
  } as const;
  return { group, first, second, producer, options };
}

/** The group's messages are handed over to retry topics once it has a position in each of them. */
async function startsAreHeld({ groupId }: Setup, ...topics: readonly string[]): Promise<void> {
  for (const topic of topics) {
    await expectSoon(async () => {
      expect(await kafka.committed(groupId, topic)).not.toContain(-1);
    });
  }
}

async function consumedToEnd({ groupId }: Setup, topic: string): Promise<void> {
  await expectSoon(async () => {
    expect(await kafka.committed(groupId, topic)).toEqual(await kafka.endOffsets(topic));
  });
}

function textsOf(headers: IHeaders = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

const isPoison = ({ message }: Delivery): boolean => String(message.value) === '0';

test('attempts go on in the retry topics, each after its delay, and a success there is on record', async () => {
  const { group, first, second, options } = await setupWithRetry();
  const { topic, groupId } = group;
  const runs: { place: string; number: number; at: number; headers: string[] }[] = [];
  await group.start(({ topic: of, message }, { number }) => {
    const headers = Object.keys(message.headers);
    runs.push({ place: `${of}/${message.offset}`, number, at: Date.now(), headers });
    if (number < 3) throw new Error('not yet');
    if (number === 3) throw new RetryableError('later', { retryAfterMs: SECOND_DELAY_MS - 1 });
  }, options);
  await startsAreHeld(group, first, second);
  await group.produce({ key: 'k', value: '0', headers: { trace: 'x' } });
  await consumedToEnd(group, second);
  await expectSoon(async () => {
    expect(await group.records()).toMatchObject([{ key: `${topic}-0-0`, state: 'succeeded', attempts: 4 }]);
  });

  const place = `${topic}/0`;
  expect(runs).toMatchObject([1, 2, 3, 4].map((number) => ({ place, number, headers: ['trace'] })));
  const key = `${topic}-0-0`;
  expect(group.eventsOf('retry-produced')).toEqual([
    { type: 'retry-produced', topic, partition: 0, offset: '0', key, to: first },
    { type: 'retry-produced', topic: first, partition: 0, offset: '0', key, to: second },
  ]);
  const copies = [...(await kafka.read(first)), ...(await kafka.read(second))];
  expect(copies.map((copy) => [copy.key, copy.value].map(String))).toEqual([
    ['k', '0'],
    ['k', '0'],
  ]);
  const [original] = await kafka.read(topic);
  const headers = {
    trace: 'x',
    'handle-once-retry-topic': topic,
    'handle-once-retry-partition': '0',
    'handle-once-retry-offset': '0',
    'handle-once-retry-timestamp': original?.timestamp,
    'handle-once-retry-group': groupId,
  };
  expect(copies.map((copy) => textsOf(copy.headers))).toEqual([headers, headers]);
  const waited = copies.map(({ timestamp }, n) => Number(runs[2 + n]?.at) - Number(timestamp));
  expect(waited[0]).toBeGreaterThanOrEqual(FIRST_DELAY_MS);
  expect(waited[1]).toBeGreaterThanOrEqual(SECOND_DELAY_MS);
});

test('a message that fails does not hold its partition, under a key of the user’s own too', async () => {
  const { group, first, second, options } = await setupWithRetry(Infinity);
  let isFixed = false;
  await group.start(
    (delivery) => {
      if (isPoison(delivery) && !isFixed) throw new Error('not yet');
    },
    { ...options, key: ({ offset, timestamp }, topic) => `${topic}:${offset}:${timestamp}` },
  );
  await startsAreHeld(group, first, second);
  await group.produce(...numbered(20));
  await group.committedTo(20);
  const statesOf = async () => (await group.records()).map(({ state }) => state);
  expect(await statesOf()).toEqual(['pending', ...Array<string>(19).fill('succeeded')]);

  isFixed = true;
  await expectSoon(async () => {
    expect(await statesOf()).toEqual(Array<string>(20).fill('succeeded'));
  });
  await consumedToEnd(group, first);
});

test('a message that fails for good in a retry topic is dead-lettered with its original place', async () => {
  const { group, first, second, producer, options } = await setupWithRetry();
  const { topic } = group;
  const deadLetterTopic = await kafka.createTopic();
  await group.start(
    (_, { number }) => {
      if (number === 4) throw new TerminalError('no');
      throw new Error('not yet');
    },
    { ...options, onFailed: { deadLetterTopic, producer } },
  );
  await startsAreHeld(group, first, second);
  await group.produce({ value: 'a' }, { value: '0', headers: { trace: 'x' } });
  await until(() => group.eventsOf('dead-lettered').length === 2);
  await consumedToEnd(group, first);

  const letters = (await kafka.read(deadLetterTopic)).map(({ headers }) => textsOf(headers));
  const letter = letters.find((one) => one['handle-once-offset'] === '1');
  expect(letter).toEqual({
    trace: 'x',
    'handle-once-topic': topic,
    'handle-once-partition': '0',
    'handle-once-offset': '1',
    'handle-once-timestamp': expect.stringMatching(/^\d{13}$/) as string,
    'handle-once-scope': group.scope,
    'handle-once-key': `${topic}-0-1`,
    'handle-once-error': 'TerminalError: no',
    'handle-once-attempts': '4',
    'handle-once-id': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(group.eventsOf('dead-lettered')).toMatchObject([{ topic: first }, { topic: first }]);
});

test('a copy whose offset was not committed is produced again, and one success settles both', async () => {
  const { group, first, second, producer, options } = await setupWithRetry(Infinity);
  const runs: number[] = [];
  let isFixed = false;
  const handler = (_: Delivery, { number }: Attempt): void => {
    runs.push(number);
    if (!isFixed) throw new Error('not yet');
  };
  let sent = 0;
  const losing: KafkaProducer = {
    async send(record) {
      sent += 1;
      await producer.send(record);
      throw new Error('the reply was lost');
    },
  };
  const member = await group.start(handler, { ...options, retry: { ...options.retry, producer: losing } });
  await startsAreHeld(group, first, second);
  await group.produce(...numbered(1));
  await until(() => sent >= 1);
  await leave(member);
  expect(await group.committed()).toEqual([0]);
  expect(group.eventsOf('retry-error')[0]).toMatchObject({ offset: '0', to: first });

  const before = sent;
  await group.start(handler, options);
  await group.committedTo(1);
  isFixed = true;
  await consumedToEnd(group, first);
  expect((await kafka.read(first)).length).toBeGreaterThan(before);
  const attempts = (await group.records())[0]?.attempts;
  expect(await group.records()).toMatchObject([{ key: `${group.topic}-0-0`, state: 'succeeded' }]);
  // No attempt ran twice, and none after the one that succeeded.
  expect(runs).toEqual(Array.from({ length: attempts ?? 0 }, (_, n) => n + 1));
});

test('a retry topic that refuses a message withholds it in place, and is tried again', async () => {
  const { group, first, second, producer, options } = await setupWithRetry();
  let refusals = 0;
  const refusing: KafkaProducer = {
    send(record) {
      if (refusals === 2) return producer.send(record);
      refusals += 1;
      return Promise.reject(new Error('not now'));
    },
  };
  await group.start(
    (_, { number }) => {
      if (number < 5) throw new Error('not yet');
    },
    { ...options, retry: { ...options.retry, producer: refusing } },
  );
  await startsAreHeld(group, first, second);
  await group.produce(...numbered(1));
  await group.committedTo(1);
  expect(group.eventsOf('retry-error')).toMatchObject([
    { offset: '0', to: first, error: { message: 'not now' } },
    { offset: '0', to: first },
  ]);
  expect(group.eventsOf('kept').filter(({ reason }) => reason === 'retry-refused')).toHaveLength(2);
  expect(group.eventsOf('retry-produced')).toMatchObject([{ topic: group.topic, offset: '0' }]);
});

test.runIf(isKafkaJs)(
  'nothing is handed over while a member of the group does not subscribe to the retry topic',
  async () => {
    const { group, first, second, options } = await setupWithRetry(Infinity);
    const handler = (delivery: Delivery): void => {
      if (isPoison(delivery)) throw new Error('not yet');
    };
    await group.start(handler, options);
    await startsAreHeld(group, first, second);
    const other = await group.start(handler, { ...options, otherTopics: [] });
    await until(() => other.joins.length > 0);
    await group.produce(...numbered(3));
    await until(() => group.eventsOf('warning').length > 0);
    expect(group.eventsOf('warning')).toMatchObject([
      {
        warning: 'RETRY_TOPIC_NOT_CONSUMED',
        message: expect.stringMatching(`${first}: not every member of the group subscribes`) as string,
      },
    ]);
    expect(await group.committed()).toEqual([0]);
    expect(await kafka.endOffsets(first)).toEqual([0]);

    await leave(other);
    await group.committedTo(3);
    expect(group.eventsOf('warning')).toHaveLength(1);
  },
);

test.runIf(readsTopicSettings)('nothing is handed over to a topic that is compacted', async () => {
  const { group, second, options } = await setupWithRetry(Infinity);
  const compacted = await kafka.createTopic({ config: { 'cleanup.policy': 'compact,delete' } });
  const retry = { ...options.retry, topics: [{ topic: compacted, delayMs: FIRST_DELAY_MS }] };
  await group.start(
    () => {
      throw new Error('not yet');
    },
    { ...options, retry, otherTopics: [compacted, second] },
  );
  await group.produce({ key: 'k', value: '0' });
  await until(() => group.eventsOf('warning').some(({ warning }) => warning === 'RETRY_TOPIC_NOT_CONSUMED'));
  expect(await kafka.endOffsets(compacted)).toEqual([0]);
});

test('a copy is not skipped by a group that has forgotten its positions and begins at the end', async () => {
  const { group, first, second, options } = await setupWithRetry(Infinity);
  let isFixed = false;
  const handler = (): void => {
    if (!isFixed) throw new Error('not yet');
  };
  const member = await group.start(handler, { ...options, fromBeginning: false });
  await startsAreHeld(group, group.topic, first, second);
  await group.produce(...numbered(1));
  await group.committedTo(1);
  await leave(member);
  isFixed = true;
  await group.rewind();
  await group.start(handler, { ...options, fromBeginning: false });
  await expectSoon(async () => {
    expect(await group.records()).toMatchObject([{ key: `${group.topic}-0-0`, state: 'succeeded' }]);
  });
});

test('headers of a copy are believed in a retry topic or the original’s, with the name of the group', async () => {
  const { group, first, second, options } = await setupWithRetry();
  const { topic, groupId } = group;
  const claimed = (offset: number, of: string, from = topic) => ({
    'handle-once-retry-topic': from,
    'handle-once-retry-partition': '0',
    'handle-once-retry-offset': String(offset),
    'handle-once-retry-timestamp': '0',
    'handle-once-retry-group': of,
  });
  await group.start(() => undefined, options);
  await startsAreHeld(group, first, second);
  await group.produce(
    { value: 'a', headers: claimed(7, groupId) },
    { value: 'e', headers: claimed(7, groupId, 'elsewhere') },
    { value: 'f', headers: claimed(7, `${groupId}-other`) },
  );
  await kafka.produce(first, [
    { value: 'b', headers: claimed(8, `${groupId}-other`) },
    { value: 'c' },
    { value: 'd', headers: claimed(9, groupId) },
  ]);
  await consumedToEnd(group, first);
  await group.caughtUp();
  expect((await group.records()).map(({ key }) => key).toSorted()).toEqual(
    [
      `${topic}-0-7`,
      `${topic}-0-1`,
      `${topic}-0-2`,
      `${first}-0-0`,
      `${first}-0-1`,
      `${topic}-0-9`,
    ].toSorted(),
  );
});
