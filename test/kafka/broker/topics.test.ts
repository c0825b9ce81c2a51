import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { compacted } from '../../support/kafka.ts';
import { isKafkaJs, isPlatformatic } from './support/client.ts';
import { leave, numbered, type Setup, upTo, useFixture } from './support/fixture.ts';
import { expectSoon, until } from '../../support/until.ts';

const { kafka, setup } = useFixture();

describe('A topic that is deleted and made again', () => {
  /** Two messages are handled; then the topic has two others at their places, with the same keys and values. */
  async function madeAgain() {
    const group = await setup();
    // The broker deletes what is older than the topic keeps.
    const time = Date.now();
    await produceAt(group, time);
    const member = await group.start(() => 'of the old topic');
    await group.caughtUp();
    await leave(member);
    await kafka.remakeTopic(group.topic);
    // The broker forgets what was committed for the old topic a little later than it makes the new one.
    await group.committedTo(-1);
    await produceAt(group, time + 1_000);
    return group;
  }

  async function produceAt(group: Setup, time: number): Promise<void> {
    for (const n of [0, 1]) {
      await group.produce({ key: 'a', value: String(n), timestamp: String(time + n) });
    }
  }

  test('has new messages at old places: they are withheld, with a warning, and never skipped', async () => {
    const group = await madeAgain();
    const handler = vi.fn();
    await group.start(handler);
    await until(() => group.eventsOf('kept').length >= 3);

    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '0', reason: 'mismatch' });
    expect(group.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
    expect(group.eventsOf('warning')[0]?.message).toContain(`${group.topic} is stuck at offset 0`);
    expect(handler).not.toHaveBeenCalled();
    expect((await group.committed())[0]).toBeLessThanOrEqual(0);
  });

  test('has them dead-lettered where that is asked for', async () => {
    const group = await madeAgain();
    const deadLetterTopic = await kafka.createTopic();
    const producer = kafka.kafka.producer();
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const handler = vi.fn();
    await group.start(handler, { onFailed: { deadLetterTopic, producer } });
    await group.caughtUp();

    expect(handler).not.toHaveBeenCalled();
    const letters = await kafka.read(deadLetterTopic);
    expect(letters.map(({ value }) => String(value))).toEqual(['0', '1']);
    expect(String(letters[0]?.headers?.['handle-once-error'])).toMatch(/^PayloadMismatchError: key /);
    expect(group.eventsOf('warning')).toEqual([]);
    expect(await group.committed()).toEqual([2]);
  });

  test('has them processed in another scope', async () => {
    const group = await madeAgain();
    const handler = vi.fn();
    await group.start(handler, {
      handleOnce: group.handleOnce.inScope(`${group.handleOnce.settings.scope}-v2`),
    });
    await group.caughtUp();
    expect(handler).toHaveBeenCalledTimes(2);
    expect(await group.committed()).toEqual([2]);
  });

  test('while it is consumed: nothing of the new one is skipped either', async () => {
    const group = await setup();
    await group.produce(...numbered(5));
    const handled: string[] = [];
    const member = await group.start(({ payload }) => handled.push(String(payload)));
    await group.caughtUp();
    await kafka.remakeTopic(group.topic);
    await expectSoon(() => group.produce(...numbered(3, 0, 100)));
    await until(() => group.eventsOf('kept').length >= 1);
    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '0', reason: 'mismatch' });
    expect(handled).toEqual(upTo(5).map(String));
    expect(member.crashes.filter(({ restart }) => !restart)).toEqual([]);
    expect((await group.committed())[0]).toBeLessThanOrEqual(0);
  });
});

describe('Offsets with gaps', () => {
  test.each(['partition', 'unordered'] as const)(
    'of a topic that is compacted: each message that is left runs once (%s)',
    async (ordering) => {
      const group = await setup({ config: compacted });
      for (const value of ['a1', 'b1', 'a2', 'c1', 'a3', 'c2']) {
        await group.produce({ key: value.slice(0, 1), value });
      }
      await kafka.compact(group.topic, { key: 'd', value: 'd1' });
      const handled: string[] = [];
      const member = await group.start(
        ({ message }) => handled.push(`${message.offset} ${String(message.value)}`),
        { ordering },
      );
      await group.caughtUp();
      expect(handled).toEqual(['1 b1', '4 a3', '5 c2', '6 d1']);
      expect(await group.committed()).toEqual([7]);

      await leave(member);
      await group.rewind();
      await group.start(() => expect.unreachable(), { ordering });
      await group.caughtUp();
      expect(group.eventsOf('replayed')).toHaveLength(4);
      expect(await group.committed()).toEqual([7]);
    },
  );

  test.each([
    ['at the end', ['committed', 'aborted']],
    ['at the head', ['aborted', 'committed']],
    ['between', ['committed', 'aborted', 'committed', 'aborted', 'aborted', 'committed']],
  ] as const)(
    'of transactions, with aborted ones %s: what was committed runs once, to the end',
    async (_, ends) => {
      const group = await setup();
      const wanted: string[] = [];
      for (const [n, end] of ends.entries()) {
        const values = [`${n}-a`, `${n}-b`];
        if (end === 'committed') wanted.push(...values);
        await kafka.produce(
          group.topic,
          values.map((value) => ({ value })),
          { transaction: end },
        );
      }
      const handled: string[] = [];
      await group.start(({ payload }) => handled.push(String(payload)));
      await group.caughtUp();
      expect(handled).toEqual(wanted);
      expect(await group.committed()).toEqual([ends.length * 3]);
    },
  );

  test('of a transaction that is aborted when all before it is done: the group goes on to the end', async () => {
    const group = await setup();
    await group.produce({ value: 'plain' });
    const handler = vi.fn();
    await group.start(handler);
    await group.caughtUp();
    await kafka.produce(group.topic, [{ value: 'undone' }], { transaction: 'aborted' });
    await group.caughtUp();
    expect(handler).toHaveBeenCalledTimes(1);
    expect(await group.committed()).toEqual([3]);
  });
});

// kafkajs gives partitions of the leader's topics to all.
test.skipIf(isKafkaJs).each([['more'], ['fewer']])(
  'members of one group whose leader has %s topics each get partitions of their own',
  async (which) => {
    const group = await setup({ partitions: 2 });
    const other = await kafka.createTopic({ partitions: 2 });
    const handled: string[] = [];
    const startOf = (name: string, otherTopics: string[]) =>
      group.start(({ topic }) => handled.push(`${name} ${topic}`), { otherTopics });
    const starts = [() => startOf('wide', [other]), () => startOf('narrow', [])];
    for (const start of which === 'more' ? starts : starts.toReversed()) await start();
    await kafka.produce(other, [...numbered(1, 0), ...numbered(1, 1)]);
    await until(() => handled.length === 2);
    expect(handled).toEqual([`wide ${other}`, `wide ${other}`]);
    await group.produce(...numbered(1, 0), ...numbered(1, 1));
    await group.caughtUp();
  },
);

// Other clients see them when they read metadata, which is after 5 minutes by default.
test.runIf(isPlatformatic)('partitions that are added to a topic are consumed', async () => {
  const group = await setup();
  await group.produce(...numbered(1));
  const handled: string[] = [];
  await group.start(({ partition }) => handled.push(String(partition)));
  await group.caughtUp();
  await kafka.admin.createPartitions({ topicPartitions: [{ topic: group.topic, count: 3 }] });
  // One of before drops what is for a partition that it does not know.
  const producer = kafka.kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  await producer.send({ topic: group.topic, messages: numbered(1, 2) });
  await until(() => handled.length === 2);
  expect(handled).toEqual(['0', '2']);
});

describe.runIf(isPlatformatic)('A topic of several', () => {
  test('that is deleted while it is consumed stops no other, and is named by health', async () => {
    const group = await setup();
    const other = await kafka.createTopic();
    const handled: string[] = [];
    const member = await group.start(({ message }) => handled.push(String(message.value)), {
      otherTopics: [other],
    });
    await group.produce({ value: 'before' });
    // kafkajs asks for each topic that a producer has sent to, also when it is gone.
    const producer = kafka.kafka.producer();
    await producer.connect();
    await producer.send({ topic: other, messages: [{ value: 'of the other' }] });
    await producer.disconnect();
    await until(() => handled.length === 2);
    await kafka.admin.deleteTopics({ topics: [other] });
    await until(() => member.health().held.length === 1);
    expect(member.health()).toMatchObject({ ready: false, held: [{ topic: other, partition: 0 }] });
    await group.produce({ value: 'after' });
    await group.caughtUp();
    expect(handled).toContain('after');
    expect(group.eventsOf('client-error')).not.toContainEqual(expect.objectContaining({ verb: 'commit' }));
  });

  test('that there is not yet keeps no other, and is consumed when it is there', async () => {
    const group = await setup();
    const other = `${group.topic}-later`;
    const handled: string[] = [];
    const member = await group.start(({ message }) => handled.push(String(message.value)), {
      otherTopics: [other],
    });
    await group.produce({ value: 'before' });
    await group.caughtUp();
    expect(member.health()).toMatchObject({ ready: false, held: [{ topic: other, partition: 0 }] });
    await kafka.admin.createTopics({ topics: [{ topic: other, numPartitions: 1 }], waitForLeaders: false });
    await until(() => member.health().ready);
    // kafkajs does not know the topic at once.
    await expectSoon(() => kafka.produce(other, [{ value: 'of the other' }]));
    await until(() => handled.length === 2);
  });
});
