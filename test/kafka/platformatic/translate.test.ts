import type {
  PlatformaticAdmin,
  PlatformaticProducer,
} from '../../../adapters/kafka/platformatic/platformatic-types.ts';
import { expect, test } from 'vitest';
import { adminOf, onFailedOf, retryOf } from '../../../adapters/kafka/platformatic/translate.ts';
import type { KafkaProducer } from '../../../adapters/kafka/log/kafkajs-types.ts';

type Sent = Parameters<PlatformaticProducer['send']>[0];

test('copies are produced with the acks that are asked for, and names of headers can come more than once', async () => {
  const sent: Sent[] = [];
  const producer: PlatformaticProducer = {
    send: (record) => {
      sent.push(record);
      return Promise.resolve();
    },
  };
  const { producer: own } = retryOf({ producer: producer as unknown as KafkaProducer });
  const headers = { trace: ['a', Buffer.from('b')], one: '1', none: undefined };
  const messages = [
    { key: Buffer.alloc(0), value: Buffer.alloc(0), headers },
    { key: null, value: null, headers: {} },
  ];
  await own.send({ topic: 'retry', acks: -1, messages });
  expect(sent).toMatchObject([
    {
      acks: -1,
      messages: [
        { topic: 'retry', key: Buffer.alloc(0), value: Buffer.alloc(0) },
        { topic: 'retry', value: null },
      ],
    },
  ]);
  const pairs = [...(sent[0]?.messages[0]?.headers ?? [])].map(
    ([name, value]) => `${String(name)}=${String(value)}`,
  );
  expect(pairs).toEqual(['trace=a', 'trace=b', 'one=1']);
});

test('a producer that fails says why', async () => {
  const refused = new AggregateError([new TypeError('no such topic')], 'answered with an error');
  const producer: KafkaProducer = {
    send: () =>
      Promise.reject(new AggregateError([refused, new Error('other')], 'Producing messages failed.')),
  };
  const { producer: own } = retryOf({ producer });
  const sent = own.send({ topic: 'retry', acks: -1, messages: [] });
  await expect(sent).rejects.toThrow(new TypeError('no such topic'));
});

test('an acknowledge stays one', () => {
  expect(onFailedOf('acknowledge')).toBe('acknowledge');
});

test('the admin client answers in the shapes of kafkajs', async () => {
  const admin: PlatformaticAdmin = {
    metadata: ({ topics }) =>
      Promise.resolve({ topics: new Map(topics.map((topic) => [topic, { partitionsCount: 2 }])) }),
    listOffsets: ({ topics }) =>
      Promise.resolve(
        topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map(({ partitionIndex, timestamp }) => ({
            partitionIndex,
            offset: timestamp === -2n ? 3n : 9n,
          })),
        })),
      ),
    listConsumerGroupOffsets: () =>
      Promise.resolve([
        {
          topics: [
            {
              name: 'orders',
              partitions: [
                { partitionIndex: 0, committedOffset: 5n, metadata: 'note' },
                { partitionIndex: 1, committedOffset: -1n, metadata: null },
              ],
            },
          ],
        },
      ]),
    describeConfigs: ({ resources }) =>
      Promise.resolve(
        resources.map(({ resourceName }) => ({
          resourceName,
          configs: [
            { name: 'retention.ms', value: '1000' },
            { name: 'secret', value: null },
          ],
        })),
      ),
    describeGroups: () =>
      Promise.resolve(
        new Map([
          [
            'g',
            {
              state: 'Stable',
              members: new Map([
                ['one', { metadata: { topics: ['orders', 'retry'] } }],
                ['joining', { metadata: undefined }],
              ]),
            },
          ],
        ]),
      ),
  };
  const own = adminOf(admin);
  expect(await own.fetchOffsets({ groupId: 'g', topics: ['orders'] })).toEqual([
    {
      topic: 'orders',
      partitions: [
        { partition: 0, offset: '5', metadata: 'note' },
        { partition: 1, offset: '-1', metadata: null },
      ],
    },
  ]);
  expect(await own.fetchTopicOffsets('orders')).toEqual(
    [0, 1].map((partition) => ({ partition, offset: '9', high: '9', low: '3' })),
  );
  expect(await own.describeGroups?.(['g'])).toEqual({
    groups: [{ state: 'Stable', members: [{ topics: ['orders', 'retry'] }, { topics: [] }] }],
  });
  const query = {
    includeSynonyms: false,
    resources: [{ type: 2, name: 'orders', configNames: ['retention.ms'] }],
  };
  expect(await own.describeConfigs(query)).toEqual({
    resources: [
      {
        resourceName: 'orders',
        configEntries: [
          { configName: 'retention.ms', configValue: '1000' },
          { configName: 'secret', configValue: '' },
        ],
      },
    ],
  });
});
