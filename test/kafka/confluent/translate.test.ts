import type { ConfluentAdmin } from '../../../adapters/kafka/confluent/confluent-types.ts';
import { expect, test, vi } from 'vitest';
import { adminOf, onFailedOf, retryOf } from '../../../adapters/kafka/confluent/translate.ts';

type Sent = Parameters<Parameters<typeof retryOf>[0]['producer']['send']>[0];

test('copies are produced without acks, text as bytes, and empty bytes have a place in memory', async () => {
  const sent: Sent[] = [];
  const producer = {
    send: (record: Sent) => {
      sent.push(record);
      return Promise.resolve();
    },
  };
  const { producer: own } = retryOf({ producer });
  const headers = { trace: 'x\0', none: Buffer.alloc(0), several: ['y', Buffer.alloc(0)] };
  const empty = { key: Buffer.alloc(0), value: Buffer.alloc(0), headers };
  await own.send({ topic: 'retry', acks: -1, messages: [empty, { key: null, value: null, headers: {} }] });
  const bytes = { ...headers, trace: Buffer.from('x\0'), several: [Buffer.from('y'), Buffer.alloc(0)] };
  expect(sent).toEqual([
    {
      topic: 'retry',
      messages: [
        { ...empty, headers: bytes },
        { key: null, value: null, headers: {} },
      ],
    },
  ]);
  // The client makes none of bytes whose address is 0.
  const [{ key, value, headers: given } = empty] = sent[0]?.messages ?? [];
  for (const one of [key, value, given.none, given.several?.[1]]) {
    expect((one as Buffer).buffer.byteLength).toBeGreaterThan(0);
  }
});

test('an acknowledge stays one, and dead letters are produced as copies are', async () => {
  expect(onFailedOf('acknowledge')).toBe('acknowledge');
  const send = vi.fn(() => Promise.resolve());
  const own = onFailedOf({ deadLetterTopic: 'failed', producer: { send } });
  if (own === 'acknowledge') throw new Error('the dead letters are lost');
  expect(own.deadLetterTopic).toBe('failed');
  await own.producer.send({ topic: 'failed', acks: -1, messages: [] });
  expect(send.mock.calls).toEqual([[{ topic: 'failed', messages: [] }]]);
});

test('the admin client answers for each partition, also where nothing is committed', async () => {
  const ofOrders = [
    { partition: 0, offset: '5', metadata: 'note' },
    { partition: 1, offset: '-1001', metadata: null },
  ];
  const committed = [
    { topic: 'retry', partitions: [{ partition: 2, offset: '7', metadata: null }] },
    { topic: 'orders', partitions: ofOrders },
  ];
  const fetchOffsets = vi.fn(() => Promise.resolve(committed));
  let state = 3;
  const admin: ConfluentAdmin = {
    fetchOffsets,
    fetchTopicOffsets: () =>
      Promise.resolve([0, 1, 2].map((partition) => ({ partition, offset: '9', high: '9', low: '0' }))),
    describeGroups: () =>
      Promise.resolve({
        groups: [
          {
            state,
            members: [
              { assignment: { topicPartitions: [{ topic: 'orders' }, { topic: 'orders' }] } },
              { assignment: { topicPartitions: [{ topic: 'retry' }] } },
            ],
          },
        ],
      }),
  };
  const own = adminOf(admin);
  const of = { groupId: 'g', topics: ['orders', 'other'] };
  const nothing = [0, 1, 2].map((partition) => ({ partition, offset: '-1', metadata: null }));
  expect(await own.fetchOffsets(of)).toEqual([
    { topic: 'orders', partitions: [ofOrders[0], ...nothing.slice(1)] },
    { topic: 'other', partitions: nothing },
  ]);
  expect(fetchOffsets.mock.calls).toEqual([[of]]);
  const topics = ['orders', 'retry'];
  expect(await own.describeGroups?.(['g'])).toEqual({
    groups: [{ state: 'Stable', members: [{ topics }, { topics }] }],
  });
  state = 2;
  expect(await own.describeGroups?.(['g'])).toMatchObject({ groups: [{ state: 'Rebalancing' }] });
  const without = adminOf({ fetchOffsets, fetchTopicOffsets: () => Promise.resolve([]) });
  expect(await without.describeGroups?.(['g'])).toEqual({ groups: [] });
});
