import { TOPIC_RESOURCE, type TopicConfigs } from '../../shared/kafka/topic-retention.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import type { KafkaProducer } from '../log/kafkajs-types.ts';
import type { KafkaHeaders } from '../log/log-client.ts';
import type { KafkaOnFailed } from '../log/dead-letter.ts';
import type { PlatformaticAdmin, PlatformaticGroup, PlatformaticProducer } from './platformatic-types.ts';
import { firstError } from './native.ts';
import { END, OLDEST } from './starts.ts';

function producerOf(given: KafkaProducer): KafkaProducer {
  const producer = given as unknown as PlatformaticProducer;
  return {
    async send({ topic, acks, messages }) {
      const copies = messages.map(({ key, value, headers }) => ({
        topic,
        ...(key !== null && { key }),
        value: value as Buffer,
        headers: headersOf(headers),
      }));
      try {
        return await producer.send({ acks, messages: copies });
      } catch (error) {
        throw firstError(error);
      }
    },
  };
}

/** With names as bytes, each its own, a name can come more than once. */
function headersOf(headers: KafkaHeaders): Map<Buffer, Buffer> {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [Buffer.from(name), Buffer.from(value)] as const),
  );
  return new Map(pairs);
}

export function onFailedOf(onFailed: KafkaOnFailed): KafkaOnFailed {
  if (onFailed === 'acknowledge') return onFailed;
  return { ...onFailed, producer: producerOf(onFailed.producer) };
}

export function retryOf<Retry extends { readonly producer: KafkaProducer }>(retry: Retry): Retry {
  return { ...retry, producer: producerOf(retry.producer) };
}

export function adminOf(admin: PlatformaticAdmin): LogAdmin & TopicConfigs {
  return {
    async fetchOffsets({ groupId, topics }) {
      const wanted = await Promise.all(
        topics.map(async (name) => ({ name, partitionIndexes: await partitionsOf(admin, name) })),
      );
      const answers = await admin.listConsumerGroupOffsets({ groups: [{ groupId, topics: wanted }] });
      const known = answers.flatMap((group) => group.topics);
      return topics.map((topic) => ({
        topic,
        partitions: known
          .filter(({ name }) => name === topic)
          .flatMap(({ partitions }) => partitions)
          .map(({ partitionIndex: partition, committedOffset, metadata }) => {
            return { partition, offset: String(committedOffset), metadata: metadata ?? null };
          }),
      }));
    },
    async fetchTopicOffsets(topic) {
      const partitions = await partitionsOf(admin, topic);
      const [low, high] = await Promise.all([
        positionsOf(admin, topic, partitions, OLDEST),
        positionsOf(admin, topic, partitions, END),
      ]);
      return partitions.flatMap((partition) => {
        const [first, end] = [low.get(partition), high.get(partition)];
        if (first === undefined || end === undefined) return [];
        return [{ partition, offset: String(end), high: String(end), low: String(first) }];
      });
    },
    async describeGroups(groupIds) {
      const groups = await admin.describeGroups?.({ groups: groupIds });
      return { groups: [...(groups?.values() ?? [])].map(groupOf) };
    },
    async describeConfigs({ resources }) {
      const found = await admin.describeConfigs({
        resources: resources.map(({ name, configNames }) => ({
          resourceType: TOPIC_RESOURCE as never,
          resourceName: name,
          configurationKeys: configNames,
        })),
      });
      return {
        resources: found.map(({ resourceName, configs }) => ({
          resourceName,
          configEntries: configs.map(({ name, value }) => ({ configName: name, configValue: value ?? '' })),
        })),
      };
    },
  };
}

async function partitionsOf(admin: PlatformaticAdmin, topic: string): Promise<number[]> {
  const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
  return Array.from({ length: topics.get(topic)?.partitionsCount ?? 0 }, (_, partition) => partition);
}

async function positionsOf(
  admin: PlatformaticAdmin,
  name: string,
  partitions: readonly number[],
  timestamp: bigint,
): Promise<ReadonlyMap<number, bigint>> {
  const wanted = partitions.map((partitionIndex) => ({ partitionIndex, timestamp }));
  const topics = await admin.listOffsets({ topics: [{ name, partitions: wanted }] });
  const known = topics.flatMap((topic) => topic.partitions);
  return new Map(known.map(({ partitionIndex, offset }) => [partitionIndex, offset]));
}

function groupOf({ state, members }: PlatformaticGroup) {
  return {
    state: state.toLowerCase() === 'stable' ? 'Stable' : 'Rebalancing',
    members: [...members.values()].map(({ metadata }) => ({ topics: metadata?.topics ?? [] })),
  };
}
