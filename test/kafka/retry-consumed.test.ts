import { expect, test } from 'vitest';
import { createRetryConsumed, type GroupAdmin } from '../../adapters/kafka/retry/retry-consumed.ts';
import { systemClock } from '../../src/lib/clock.ts';

interface Given {
  readonly state?: string;
  /** What each member subscribes to. */
  readonly members?: readonly (readonly string[])[];
  readonly offsets?: readonly string[];
  readonly config?: Readonly<Record<string, string>>;
  readonly error?: Error;
}

/** As kafkajs gives the metadata of a member. */
function metadataOf(topics: readonly string[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeInt32BE(topics.length, 2);
  const names = topics.map((topic) => Buffer.from([0, topic.length, ...Buffer.from(topic)]));
  return Buffer.concat([head, ...names]);
}

function isSafe(given: Given, ofKafkaJs: boolean): Promise<boolean> {
  const { state = 'Stable', members = [['orders', 'retry']], offsets = ['0', '7'], error } = given;
  const config = { 'cleanup.policy': 'delete', 'retention.ms': '1001', ...given.config };
  const admin: Partial<GroupAdmin> = {
    describeGroups: ([groupId]) =>
      Promise.resolve({
        groups:
          groupId === 'g' ? [{ state, members: members.map((topics) => memberOf(topics, ofKafkaJs)) }] : [],
      }),
    fetchOffsets: ({ topics: [topic = ''] }) =>
      Promise.resolve([{ topic, partitions: offsets.map((offset, partition) => ({ partition, offset })) }]),
    describeConfigs: ({ resources }) =>
      error === undefined
        ? Promise.resolve({
            resources: resources.map(({ name, configNames }) => ({
              resourceName: name,
              configEntries: Object.entries(config)
                .filter(([configName]) => configNames.includes(configName))
                .map(([configName, configValue]) => ({ configName, configValue })),
            })),
          })
        : Promise.reject(error),
  };
  const events = { emit: () => undefined };
  const consumed = createRetryConsumed({
    ...{ clock: systemClock, groupId: 'g', events: events as never, admin: admin as GroupAdmin },
  });
  return consumed.isSafe({ topic: 'retry', delayMs: 1_000 });
}

const memberOf = (topics: readonly string[], ofKafkaJs: boolean) =>
  ofKafkaJs ? { memberMetadata: metadataOf(topics) } : { topics };

test.each<[safe: boolean, given: Given]>([
  [true, {}],
  [true, { config: { 'retention.ms': '-1' } }],
  [false, { config: { 'retention.ms': '1000' } }],
  [false, { config: { 'cleanup.policy': 'compact,delete' } }],
  [false, { state: 'PreparingRebalance' }],
  [false, { members: [['orders', 'retry'], ['orders']] }],
  [false, { offsets: [] }],
  [false, { offsets: ['0', '-1'] }],
  [false, { error: new Error('down') }],
])('whether a copy in a retry topic is sure to be consumed: %s, %j', async (safe, given) => {
  expect([await isSafe(given, true), await isSafe(given, false)]).toEqual([safe, safe]);
});
