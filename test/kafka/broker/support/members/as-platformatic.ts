import type { KafkaAdmin, KafkaProducer } from '../../../../../adapters/kafka/log/kafkajs-types.ts';
import type {
  PlatformaticAdmin,
  PlatformaticProducer,
} from '../../../../../adapters/kafka/platformatic/platformatic-types.ts';

/** A producer that a test has made in the shape of kafkajs, in that of platformatic's client. */
export function asPlatformaticProducer(given: object): PlatformaticProducer {
  const producer = given as KafkaProducer;
  return {
    async send({ acks, messages }) {
      for (const { topic, key = null, value, headers } of messages) {
        const named = Object.fromEntries([...headers].map(([name, content]) => [String(name), content]));
        await producer.send({ topic, acks, messages: [{ key, value, headers: named }] });
      }
    },
  };
}

const OLDEST = -2n;

/** An admin client that a test has made in the shape of kafkajs, in that of platformatic's client. */
export function asPlatformaticAdmin(admin: KafkaAdmin): PlatformaticAdmin {
  return {
    async metadata({ topics }) {
      const counts = await Promise.all(
        topics.map(async (topic) => {
          const { length } = await admin.fetchTopicOffsets(topic);
          return [topic, { partitionsCount: length }] as const;
        }),
      );
      return { topics: new Map(counts) };
    },
    listOffsets: ({ topics }) =>
      Promise.all(
        topics.map(async ({ name, partitions }) => {
          const ends = await admin.fetchTopicOffsets(name);
          return {
            name,
            partitions: ends.map(({ partition, low, high }) => {
              const asked = partitions.find(({ partitionIndex }) => partitionIndex === partition);
              return { partitionIndex: partition, offset: BigInt(asked?.timestamp === OLDEST ? low : high) };
            }),
          };
        }),
      ),
    listConsumerGroupOffsets: ({ groups }) =>
      Promise.all(
        groups.map(async ({ groupId, topics }) => {
          const found = await admin.fetchOffsets({ groupId, topics: topics.map(({ name }) => name) });
          return {
            topics: found.map(({ topic, partitions }) => ({
              name: topic,
              partitions: partitions.map(({ partition, offset, metadata = null }) => {
                return { partitionIndex: partition, committedOffset: BigInt(offset), metadata };
              }),
            })),
          };
        }),
      ),
    async describeConfigs({ resources }) {
      const found = await admin.describeConfigs({
        includeSynonyms: false,
        resources: resources.map(({ resourceType, resourceName, configurationKeys }) => {
          return { type: resourceType, name: resourceName, configNames: configurationKeys };
        }),
      });
      return found.resources.map(({ resourceName, configEntries }) => ({
        resourceName,
        configs: configEntries.map(({ configName, configValue }) => ({
          name: configName,
          value: configValue,
        })),
      }));
    },
  };
}
