import type { KafkaAdmin } from '../../../adapters/kafka/log/kafkajs-types.ts';

export interface FakeAdmin extends KafkaAdmin {
  /** What the group has committed, and where partitions end, such as `orders/0`. Others have -1, and end nowhere. */
  readonly committed: Record<string, string>;
  readonly ends: Record<string, string>;
  /** Where partitions begin; others at 0. */
  readonly lows: Record<string, string>;
  /** What it was asked, such as `describeConfigs orders`. */
  readonly queries: string[];
  /** What it rejects with, if anything. */
  error: unknown;
}

/** An admin client of a cluster whose topics all keep messages for a minute. */
export function fakeAdmin(parts: Partial<KafkaAdmin> = {}): FakeAdmin {
  const committed: Record<string, string> = {};
  const ends: Record<string, string> = {};
  const lows: Record<string, string> = {};
  const queries: string[] = [];

  async function asked(query: string, ...of: string[]): Promise<void> {
    queries.push([query, ...of].join(' '));
    await Promise.resolve();
    // oxlint-disable-next-line typescript/only-throw-error -- a client may reject with anything
    if (admin.error !== undefined) throw admin.error;
  }

  const offsetsOf = (topic: string) =>
    Object.keys({ ...ends, ...committed })
      .filter((place) => place.startsWith(`${topic}/`))
      .map((place) => ({
        partition: Number(place.slice(topic.length + 1)),
        offset: committed[place] ?? '-1',
        high: ends[place],
        low: lows[place] ?? '0',
      }));

  const admin: FakeAdmin = {
    committed,
    ends,
    lows,
    queries,
    error: undefined,
    async describeConfigs({ resources }) {
      await asked('describeConfigs', ...resources.map(({ name }) => name));
      const configEntries = [
        { configName: 'cleanup.policy', configValue: 'delete' },
        { configName: 'retention.ms', configValue: '60000' },
      ];
      return { resources: resources.map(({ name }) => ({ resourceName: name, configEntries })) };
    },
    async fetchOffsets({ groupId, topics }) {
      await asked('fetchOffsets', groupId, ...topics);
      return topics.map((topic) => ({ topic, partitions: offsetsOf(topic) }));
    },
    async fetchTopicOffsets(topic) {
      await asked('fetchTopicOffsets', topic);
      const known = offsetsOf(topic).flatMap(({ partition, high, low }) =>
        high === undefined ? [] : [{ partition, offset: high, high, low }],
      );
      // As kafkajs does where its metadata does not have the topic.
      if (known.length === 0)
        throw new TypeError("Cannot destructure property 'partitions' of 'high.pop(...)'");
      return known;
    },
    ...parts,
  };
  return admin;
}
