import { expect, test, vi } from 'vitest';
import type { FetchedDeadLetter } from '../../adapters/kafka/redrive/dead-letter-taker.ts';
import { namingDenied } from '../../adapters/kafka/redrive/denied.ts';
import { readDeadLetters } from '../../adapters/kafka/redrive/read-dead-letters.ts';
import type { KafkaClients, DeadLetterConsumer } from '../../adapters/kafka/redrive/kafka-client.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { fakeConsumer } from './support/fake-consumer.ts';
import { message } from './support/messages.ts';

/** A dead-letter topic of one partition. Its group can meet again after some dead letters, which then come again. */
function deadLetters(offsets: readonly number[], rejoinsAfter = 0) {
  let low = 0;
  let deletedAtJoin = 0;
  let beforeJoin = () => undefined as unknown;
  const group = { offset: '-1', metadata: null as string | null };
  const high = (offsets.at(-1) ?? 0) + 1;

  function consumer(): DeadLetterConsumer {
    const fake = fakeConsumer();
    let from = 0;
    return Object.assign(fake, {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      subscribe: () => Promise.resolve(),
      commitOffsets([position]: Parameters<DeadLetterConsumer['commitOffsets']>[0]) {
        Object.assign(group, { metadata: null }, position);
        return Promise.resolve();
      },
      seek({ offset }: { offset: string }) {
        from = Number(offset);
      },
      async run({ eachBatch }: Parameters<DeadLetterConsumer['run']>[0]) {
        beforeJoin();
        low = Math.max(low, deletedAtJoin);
        from = Number(group.offset);
        fake.join({ dead: [0] });
        // As the client does with an offset that is not in the log.
        if (from < low || from > high) Object.assign(group, { offset: '-2', metadata: null });
        const deadLetters = offsets
          .filter((offset) => offset >= Math.max(from, low))
          .map((offset) => message(offset));
        if (rejoinsAfter > 0) {
          await eachBatch(fakeBatch(deadLetters.slice(0, rejoinsAfter), { topic: 'dead' }));
          fake.join({ dead: [0] });
        }
        if (deadLetters.length > 0) await eachBatch(fakeBatch(deadLetters, { topic: 'dead' }));
      },
    });
  }

  const admin = () => ({
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchOffsets: () => Promise.resolve([{ topic: 'dead', partitions: [{ partition: 0, ...group }] }]),
    fetchTopicMetadata: () => Promise.resolve(),
    fetchTopicOffsets: () =>
      Promise.resolve([{ partition: 0, offset: String(high), high: String(high), low: String(low) }]),
  });

  /** Takes the dead letters, and keeps some. Gives those that it was handed. */
  async function read(kept: readonly number[], commits = true): Promise<string[]> {
    const taken: string[] = [];
    const take = ({ message: { offset } }: FetchedDeadLetter) => {
      taken.push(offset);
      return Promise.resolve(kept.includes(Number(offset)) ? ('kept' as const) : ('passed' as const));
    };
    const kafka: Pick<KafkaClients, 'consumer'> = { consumer };
    await readDeadLetters({
      kafka,
      admin: admin(),
      topic: 'dead',
      groupId: 'g',
      commits,
      isOver: () => false,
      take,
    });
    return taken;
  }

  return {
    group,
    read,
    /** While the next reader looks what there is, another one reads all of it. */
    otherReadsAll: () => {
      beforeJoin = () => Object.assign(group, { offset: String(high), metadata: '' });
    },
    /** The same while it is read. */
    deleteAtJoin: (offset: number) => {
      deletedAtJoin = offset;
    },
    /** Retention deletes what is before. */
    deleteTo: (offset: number) => {
      low = offset;
    },
  };
}

test('a dead letter that was passed behind one that was kept is not taken again', async () => {
  const { group, read } = deadLetters([5, 6, 7, 8]);
  expect(await read([5, 7])).toEqual(['5', '6', '7', '8']);
  expect(group.offset).toBe('5');
  expect(await read([5])).toEqual(['5', '7']);
  expect(await read([])).toEqual(['5']);
  expect(group).toMatchObject({ offset: '9', metadata: '' });
});

test('a read that commits nothing changes nothing', async () => {
  const { group, read } = deadLetters([5, 6, 7]);
  await read([5]);
  const before = { ...group };
  expect(await read([], false)).toEqual(['5']);
  expect(group).toEqual(before);
});

test('nor when the one that was kept is not in the topic any more', async () => {
  const { read, deleteTo } = deadLetters([5, 6, 7, 8]);
  await read([5, 7]);
  deleteTo(6);
  expect(await read([7])).toEqual(['7']);
  expect(await read([7])).toEqual(['7']);
});

test('behind the end of the topic, which was made again meanwhile, nothing counts as done with', async () => {
  const { group, read } = deadLetters([0, 1, 2]);
  Object.assign(group, { offset: '6', metadata: 'handle-once:2,0,1' });
  expect(await read([1])).toEqual(['0', '1', '2']);
  expect(group).toMatchObject({ offset: '1' });
  expect(await read([])).toEqual(['1']);
});

test('what is deleted while it is read ends the read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { read, deleteAtJoin } = deadLetters([5, 6, 7]);
    deleteAtJoin(8);
    const reading = read([]);
    await vi.waitFor(() => {
      expect(vi.getTimerCount()).toBe(1);
    });
    vi.advanceTimersByTime(5_000);
    expect(await reading).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a dead letter that was kept before the group met again is not passed over', async () => {
  const { group, read } = deadLetters([5, 6, 7], 1);
  expect(await read([5, 7])).toEqual(['5', '6', '7']);
  expect(group.offset).toBe('5');
  expect(await read([])).toEqual(['5', '7']);
});

test('a topic that another reader has read to its end meanwhile is at its end', async () => {
  const { read, otherReadsAll } = deadLetters([5, 6, 7]);
  otherReadsAll();
  expect(await read([])).toEqual([]);
});

test.each([
  ['TOPIC_AUTHORIZATION_FAILED', /^redriveTopic: from: is dead, .*: grant Read on that topic$/],
  ['GROUP_AUTHORIZATION_FAILED', /^redriveTopic: groupId: is g, .*: grant Read on that group$/],
])('an error of a right that lacks names what it is on: %s', (type, says) => {
  const denied = Object.assign(new Error('Not authorized'), { type });
  for (const error of [denied, new Error('not retriable', { cause: denied })])
    expect(namingDenied(error, 'dead', 'g')).toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(says) as string,
    });
});

test('an error of another kind stays what it is, and a lost coordinator is one of the group', () => {
  const error = new Error('no');
  expect(namingDenied(error, 'dead', 'g')).toBe(error);
  const lost = Object.assign(new Error('no'), { name: 'KafkaJSGroupCoordinatorNotFound' });
  expect(namingDenied(lost, 'dead', 'g')).toMatchObject({ issues: [{ field: 'groupId' }] });
});
