import { InvalidOptionsError, TerminalError } from 'handle-once';
import { showRecord } from 'handle-once/operations';
import {
  type KafkaDelivery,
  type RedrivenTopicDeadLetter,
  redriveTopic,
  type RedriveTopicOptions,
} from 'handle-once/kafka';
import { ConfigResourceTypes } from 'kafkajs';
import { expect, onTestFinished, test } from 'vitest';
import { gate } from '../../support/gate.ts';
import { expectSoon } from '../../support/until.ts';
import { leave, type MemberOptions, numbered, type Setup, useFixture } from './support/fixture.ts';

const { kafka, setup, sql } = useFixture();

type Delivery = Pick<KafkaDelivery<unknown>, 'topic' | 'partition' | 'message'>;

function terminal(): never {
  throw new TerminalError('no');
}

async function deadLetters() {
  const deadLetterTopic = await kafka.createTopic();
  const producer = kafka.kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return { deadLetterTopic, producer };
}

type OnFailed = Awaited<ReturnType<typeof deadLetters>>;
type Options = MemberOptions<undefined, Buffer | null>;

/** Lets all that is in the topic fail. */
async function failAll(group: Setup, onFailed: OnFailed, options: Options = {}): Promise<void> {
  const member = await group.start(terminal, { onFailed, ...options });
  await group.caughtUp();
  await leave(member);
}

async function redrive(from: string, options: Partial<RedriveTopicOptions> = {}) {
  const letters: RedrivenTopicDeadLetter[] = [];
  const onDeadLetter = (letter: RedrivenTopicDeadLetter): void => {
    letters.push(letter);
  };
  const groupId = `redrive-${from}`;
  const report = await redriveTopic({ kafka: kafka.kafka, sql, from, groupId, onDeadLetter, ...options });
  return { ...report, letters };
}

/** A dead letter of a message, without a record. */
function letter(topic: string, offset: number, headers: Record<string, string> = {}) {
  return {
    value: 'v',
    headers: {
      ...{ 'handle-once-topic': topic, 'handle-once-partition': '0', 'handle-once-offset': String(offset) },
      ...{ 'handle-once-timestamp': '1700000000000', 'handle-once-attempts': '1' },
      ...{
        'handle-once-scope': 'billing>kafka:workers',
        'handle-once-key': `${topic}-0-${offset}`,
        ...headers,
      },
    },
  };
}

test('dead letters run again as what they were, where they were, and a dry run changes nothing', async () => {
  const group = await setup();
  const { topic, scope } = group;
  const onFailed = await deadLetters();
  await group.produce({ key: 'k', value: 'a', headers: { trace: 'x' } }, { value: null }, { value: 'c' });
  await failAll(group, onFailed);

  const planned = await redrive(onFailed.deadLetterTopic, { dryRun: true });
  expect(planned).toMatchObject({ state: 'finished', dryRun: true, sent: 3, removed: 0, kept: 0 });
  expect(await showRecord({ sql, scope, key: `${topic}-0-0` })).toMatchObject({ phase: 'failed' });
  expect(await kafka.endOffsets(topic)).toEqual([3]);

  const { letters, ...report } = await redrive(onFailed.deadLetterTopic);
  expect(report).toEqual({ state: 'finished', dryRun: false, sent: 3, removed: 0, kept: 0, keptFor: {} });
  expect(letters[0]).toEqual({
    ...{ partition: 0, offset: '0', scope, key: `${topic}-0-0`, state: 'sent', retried: true },
  });
  expect(await redrive(onFailed.deadLetterTopic)).toMatchObject({ sent: 0, letters: [] });

  const seen: Delivery[] = [];
  await group.start((delivery) => {
    seen.push(delivery);
  });
  await group.caughtUp();
  const originals = (await kafka.read(topic)).slice(0, 3);
  expect(seen.map(({ topic: of, partition, message }) => [of, partition, message.offset])).toEqual(
    originals.map(({ offset }) => [topic, 0, offset]),
  );
  expect(seen.map(({ message: { key, value, timestamp } }) => ({ key, value, timestamp }))).toEqual(
    originals.map(({ key, value, timestamp }) => ({ key, value, timestamp })),
  );
  expect(Object.keys(seen[0]?.message.headers ?? {})).toEqual(['trace']);
  expect((await group.records()).map(({ state, attempts }) => [state, attempts])).toEqual([
    ['succeeded', 2],
    ['succeeded', 2],
    ['succeeded', 2],
  ]);
});

test('two copies of one dead letter run once, and one that has succeeded is passed', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(1));
  await failAll(group, onFailed);
  await redrive(from);
  expect(await redrive(from, { groupId: kafka.groupId() })).toMatchObject({
    sent: 1,
    letters: [{ retried: false }],
  });
  const runs: unknown[] = [];
  await group.start((delivery) => runs.push(delivery.message.offset));
  await group.caughtUp();
  expect(runs).toEqual(['0']);
  expect(group.eventsOf('replayed')).toMatchObject([{ state: 'succeeded' }]);
  expect(await redrive(from, { groupId: kafka.groupId() })).toMatchObject({ sent: 0, removed: 1 });
});

test('what fails again is the same dead letter, also under a key of the user’s own', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const key: Options['key'] = ({ value }, topic, partition) => `${topic}:${partition}:${String(value)}`;
  await group.produce({ value: 'a' });
  await failAll(group, onFailed, { key });
  for (let round = 0; round < 2; round += 1) {
    const { letters } = await redrive(onFailed.deadLetterTopic);
    expect(letters).toMatchObject([{ key: `${group.topic}:0:a`, state: 'sent', retried: true }]);
    await failAll(group, onFailed, { key });
  }
  const ids = (await kafka.read(onFailed.deadLetterTopic)).map(({ headers }) =>
    String(headers?.['handle-once-id']),
  );
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(await group.records()).toMatchObject([{ state: 'failed', attempts: 3 }]);
});

test('a dead letter that is kept is read again, and those before it are not', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(3));
  await failAll(group, onFailed);
  const running = `${group.topic}-0-1`;
  await sql`
    update handle_once.records
    set state = 'pending', owned = true, failed_reason = null, live_until = now() + interval '1 minute'
    where scope = ${group.scope} and key = ${running}`;
  expect(await redrive(from)).toMatchObject({ sent: 2, kept: 1, keptFor: { running: 1 } });
  expect(await kafka.committed(`redrive-${from}`, from)).toEqual([1]);
  await sql`update handle_once.records set live_until = now() where scope = ${group.scope} and key = ${running}`;
  const filter: RedriveTopicOptions['filter'] = ({ key }) => key === running;
  expect(await redrive(from, { filter })).toMatchObject({ sent: 0, keptFor: { lapsed: 1 } });
});

test('a dead letter that was sent behind one that is kept is not sent again, though its record is gone', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(4));
  await failAll(group, onFailed);
  const kept = [0, 2].map((offset) => `${group.topic}-0-${offset}`);
  const filter: RedriveTopicOptions['filter'] = ({ key }) => !kept.includes(key);
  expect(await redrive(from, { filter })).toMatchObject({ sent: 2, keptFor: { filtered: 2 } });
  await sql`delete from handle_once.records where scope = ${group.scope}`;
  const { letters, ...report } = await redrive(from, { sendUnrecorded: true });
  expect(report).toMatchObject({ state: 'finished', sent: 2, removed: 0, kept: 0 });
  expect(letters.map(({ key }) => key)).toEqual(kept);
  expect(await kafka.committed(`redrive-${from}`, from)).toEqual([4]);
});

test('a dead letter that is kept can go with its time in the topic: those behind it stay known', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(3));
  await failAll(group, onFailed);
  const last = `${group.topic}-0-2`;
  const filter: RedriveTopicOptions['filter'] = ({ key }) => key === `${group.topic}-0-1`;
  expect(await redrive(from, { filter })).toMatchObject({ sent: 1, keptFor: { filtered: 2 } });
  await sql`delete from handle_once.records where scope = ${group.scope}`;
  expect(await kafka.endOffsets(from)).toEqual([3]);
  await kafka.admin.deleteTopicRecords({ topic: from, partitions: [{ partition: 0, offset: '1' }] });
  expect(await redrive(from, { sendUnrecorded: true })).toMatchObject({ sent: 1, letters: [{ key: last }] });
});

test('a dead letter without a record is kept: an earlier redrive may have sent it, with or without offsets', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(3));
  await failAll(group, onFailed);
  expect(await redrive(from, { limit: 1 })).toMatchObject({ sent: 1 });
  await sql`delete from handle_once.records where scope = ${group.scope}`;
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, failures, deaths,
      live_until, created_at, failed_reason)
    values (${group.scope}, ${`${group.topic}-0-1`}, gen_random_uuid(), '', 'failed', false, 1, 1, 0,
      now() + interval '1 hour', now(), 'terminal')`;
  expect(await redrive(from)).toMatchObject({ sent: 1, kept: 1, keptFor: { ambiguous: 1 } });
  await kafka.admin.deleteGroups([`redrive-${from}`]);
  const filter: RedriveTopicOptions['filter'] = ({ key }) => !key.endsWith('-1');
  expect(await redrive(from, { filter, sendUnrecorded: true, limit: 1 })).toMatchObject({ sent: 1 });
  expect(await redrive(from, { filter })).toMatchObject({ sent: 0, keptFor: { ambiguous: 1, filtered: 1 } });
  expect(await redrive(from, { filter, sendUnrecorded: true })).toMatchObject({
    sent: 1,
    keptFor: { filtered: 1 },
  });
  expect(await redrive(from, { filter, sendUnrecorded: true })).toMatchObject({
    sent: 0,
    keptFor: { filtered: 1 },
  });
});

test('dead letters of other scopes, refused ones and those without an identity are kept', async () => {
  const from = await kafka.createTopic();
  await kafka.produce(from, [
    letter('orders', 7, { 'handle-once-scope': 'mail>kafka:workers' }),
    letter('orders', 7, { 'handle-once-attempts': '0' }),
    letter('orders', 7, { 'handle-once-scope': 'billing' }),
    letter('orders', 7, { 'handle-once-offset': 'last' }),
    { value: 'not one of ours' },
  ]);
  expect(await redrive(from, { scope: 'billing>kafka:workers' })).toMatchObject({
    ...{ sent: 0, kept: 5, keptFor: { 'other-scope': 1, refused: 1, 'no-identity': 3 } },
  });
});

test('limit ends it, and the next call goes on behind the last dead letter', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(3));
  await failAll(group, onFailed);
  expect(await redrive(from, { limit: 1 })).toMatchObject({ state: 'stopped', sent: 1 });
  expect((await redrive(from)).letters).toMatchObject([{ offset: '1' }, { offset: '2' }]);
});

test('all partitions are read to where they end, also behind an aborted transaction', async () => {
  const group = await setup({ partitions: 3 });
  const { producer } = await deadLetters();
  const deadLetterTopic = await kafka.createTopic({ partitions: 3 });
  await group.produce(...[0, 1, 2].flatMap((partition) => numbered(2, partition)));
  await failAll(group, { deadLetterTopic, producer });
  await kafka.produce(deadLetterTopic, [{ partition: 1, value: 'aborted' }], { transaction: 'aborted' });
  expect(await redrive(deadLetterTopic)).toMatchObject({ state: 'finished', sent: 6, kept: 0 });
});

test('of two redrives at once the one without a partition says that dead letters are left', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const from = onFailed.deadLetterTopic;
  await group.produce(...numbered(6));
  await failAll(group, onFailed);
  const begun = gate();
  const first = redrive(from, { perSecond: 1, onDeadLetter: begun.open });
  await begun.opened;
  const both = await Promise.all([first, redrive(from, { perSecond: 1 })]);
  expect(both.map(({ state }) => state).sort()).toEqual(['blocked', 'finished']);
  expect(both.reduce((sum, { sent }) => sum + sent, 0)).toBe(6);
  expect(await redrive(from)).toMatchObject({ state: 'finished', sent: 0 });
});

test('the group of a live consumer is no group for a redrive: it says that dead letters are left', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  await group.produce(...numbered(2));
  await failAll(group, onFailed);
  await group.start(() => undefined);
  await group.caughtUp();
  expect(await redrive(onFailed.deadLetterTopic, { groupId: group.groupId })).toMatchObject({
    ...{ state: 'blocked', sent: 0, kept: 0 },
  });
});

test('a dead letter whose topic does not exist is kept, and those behind it are sent', async () => {
  const [from, topic] = [await kafka.createTopic(), await kafka.createTopic()];
  const missing = `${topic}-missing`;
  await kafka.produce(from, [letter(topic, 0), letter(missing, 0), letter(missing, 1), letter(topic, 1)]);
  for (const dryRun of [true, false]) {
    const { letters, ...report } = await redrive(from, { dryRun, sendUnrecorded: true });
    expect(report).toMatchObject({ state: 'finished', sent: 2, kept: 2, keptFor: { 'send-refused': 2 } });
    expect(letters.map(({ key }) => key)).toEqual([
      ...[`${topic}-0-0`, `${missing}-0-0`, `${missing}-0-1`, `${topic}-0-1`],
    ]);
  }
  expect(await kafka.admin.listTopics()).not.toContain(missing);
  expect(await redrive(from, { sendUnrecorded: true })).toMatchObject({
    state: 'finished',
    sent: 0,
    kept: 2,
  });
  await kafka.makeTopic(missing);
  expect(await redrive(from, { sendUnrecorded: true })).toMatchObject({
    state: 'finished',
    sent: 2,
    kept: 0,
  });
});

test('a dead letter that its topic refuses is kept, and the others are sent', async () => {
  const group = await setup();
  const onFailed = await deadLetters();
  const large = { value: 'x'.repeat(2_000) };
  await group.produce(large, { value: 'y' });
  await failAll(group, onFailed);
  await kafka.admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.TOPIC,
        name: group.topic,
        configEntries: [{ name: 'max.message.bytes', value: '1000' }],
      },
    ],
  });
  // The broker takes the change over some time after its answer.
  await expectSoon(async () => {
    const sent = onFailed.producer.send({ topic: group.topic, messages: [large] });
    await expect(sent).rejects.toThrow();
  });
  expect(await redrive(onFailed.deadLetterTopic)).toMatchObject({
    ...{ state: 'finished', sent: 1, kept: 1, keptFor: { 'send-refused': 1 } },
  });
});

/** The clients of a principal that may not describe, or not write, some topics; or not what `refused` names. */
function limited(may: { describe?: (topic: string) => boolean; write?: (topic: string) => boolean }) {
  const error = Object.assign(new Error('Not authorized'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
  const { describe: mayDescribe = () => true, write: mayWrite = () => true } = may;
  const sends: string[] = [];
  const clients: RedriveTopicOptions['kafka'] = {
    consumer: (config) => kafka.kafka.consumer(config),
    admin() {
      const admin = kafka.kafka.admin();
      return {
        ...admin,
        fetchTopicMetadata: async (query: { topics: string[] }) =>
          query.topics.every(mayDescribe)
            ? await admin.fetchTopicMetadata(query)
            : await Promise.reject(error),
      };
    },
    producer() {
      const producer = kafka.kafka.producer();
      const send: typeof producer.send = async (record) => {
        sends.push(record.topic);
        return mayWrite(record.topic) ? await producer.send(record) : await Promise.reject(error);
      };
      return { ...producer, send };
    },
  };
  return { clients, sends };
}

test.each(['describe', 'write'] as const)(
  'a dead letter whose topic the client may not %s is kept, and those behind it are sent',
  async (right) => {
    const [group, other] = [await setup(), await setup()];
    const onFailed = await deadLetters();
    const from = onFailed.deadLetterTopic;
    for (const one of [group, other]) {
      await one.produce(...numbered(2));
      await failAll(one, onFailed);
    }
    const { clients, sends } = limited({ [right]: (topic: string) => topic !== group.topic });
    expect(await redrive(from, { kafka: clients })).toMatchObject({
      ...{ state: 'finished', sent: 2, kept: 2, keptFor: { 'send-refused': 2 } },
    });
    expect(sends.filter((topic) => topic === group.topic)).toHaveLength(right === 'write' ? 1 : 0);
    const records = await group.records();
    expect(records.filter(({ state }) => state === 'failed')).toHaveLength(right === 'write' ? 1 : 2);
    expect(await redrive(from)).toMatchObject({ state: 'finished', sent: 2, kept: 0 });
  },
);

test.each(['from', 'to'])('a topic that the client may not describe is refused: %s', async (field) => {
  const [topic, denied] = [await kafka.createTopic(), await kafka.createTopic()];
  const { clients } = limited({ describe: (asked) => asked !== denied });
  const refused = redrive(topic, { kafka: clients, [field]: denied });
  await expect(refused).rejects.toThrow(InvalidOptionsError);
  const right = field === 'from' ? 'Read' : 'Write';
  await expect(refused).rejects.toThrow(
    new RegExp(`${field}: is ${denied}, .*: grant ${right} on that topic`),
  );
});

test.each(['from', 'to'])('a topic that does not exist is refused: %s', async (field) => {
  const topic = await kafka.createTopic();
  const missing = `${topic}-missing`;
  const refused: unknown = await redrive(topic, { [field]: missing }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect((refused as InvalidOptionsError).issues).toMatchObject([
    { field, message: expect.stringContaining(missing) as string },
  ]);
  expect(await kafka.admin.listTopics()).not.toContain(missing);
});

test('wrong options are refused by name', async () => {
  const refused: unknown = await redrive('no spaces', { perSecond: 0, kafka: {} as never }).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect((refused as InvalidOptionsError).issues.map(({ field }) => field).sort()).toEqual([
    'from',
    'kafka',
    'perSecond',
  ]);
});
