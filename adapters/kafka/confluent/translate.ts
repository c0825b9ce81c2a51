import type { KafkaOnFailed } from '../log/dead-letter.ts';
import type { GroupDescription, LogAdmin } from '../log/log-admin.ts';
import type { KafkaProducer } from '../log/kafkajs-types.ts';
import type { KafkaHeaders } from '../log/log-client.ts';
import type { ConfluentAdmin, ConfluentGroup } from './confluent-types.ts';

/** The acks of this client are a setting of its producer, and refused in a call. */
function producerOf(producer: KafkaProducer): KafkaProducer {
  return {
    send: ({ topic, messages }) =>
      producer.send({
        topic,
        messages: messages.map(({ key, value, headers }) => ({
          key: inMemory(key),
          value: inMemory(value),
          headers: headersOf(headers),
        })),
      } as never),
  };
}

function headersOf(headers: KafkaHeaders): KafkaHeaders {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(bytesOf) : bytesOf(value),
  ]);
  return Object.fromEntries(pairs) as KafkaHeaders;
}

/** The client cuts text at a NUL. */
function bytesOf<Content>(content: Content): Content | Buffer {
  return inMemory(typeof content === 'string' ? Buffer.from(content) : content);
}

/** The client takes empty bytes without a place in memory for none, and would make a tombstone of them. */
function inMemory<Content>(content: Content): Content | Buffer {
  return Buffer.isBuffer(content) && content.length === 0 ? Buffer.alloc(1).subarray(0, 0) : content;
}

export function onFailedOf(onFailed: KafkaOnFailed): KafkaOnFailed {
  if (onFailed === 'acknowledge') return onFailed;
  return { ...onFailed, producer: producerOf(onFailed.producer) };
}

export function retryOf<Retry extends { readonly producer: KafkaProducer }>(retry: Retry): Retry {
  return { ...retry, producer: producerOf(retry.producer) };
}

const STABLE = 3;
/** The offset by which librdkafka says that nothing is committed. */
const NOTHING_COMMITTED = '-1001';

export function adminOf(admin: ConfluentAdmin): LogAdmin {
  return {
    async fetchOffsets({ groupId, topics }) {
      const known = await admin.fetchOffsets({ groupId, topics });
      return await Promise.all(topics.map((topic) => offsetsOf(admin, topic, known)));
    },
    fetchTopicOffsets: (topic) => admin.fetchTopicOffsets(topic),
    async describeGroups(groupIds) {
      const { groups } = (await admin.describeGroups?.(groupIds)) ?? { groups: [] };
      return { groups: groups.map(groupOf) };
    },
  };
}

type Offsets = Awaited<ReturnType<ConfluentAdmin['fetchOffsets']>>;

/** The client leaves out partitions of which nothing is committed. */
async function offsetsOf(admin: ConfluentAdmin, topic: string, known: Offsets) {
  const committed = known.find((of) => of.topic === topic)?.partitions ?? [];
  const all = await admin.fetchTopicOffsets(topic);
  const partitions = all.map(({ partition }) => {
    const { offset = NOTHING_COMMITTED, metadata = null } =
      committed.find((one) => one.partition === partition) ?? {};
    return { partition, offset: offset === NOTHING_COMMITTED ? '-1' : offset, metadata };
  });
  return { topic, partitions };
}

/**
 * The client knows what members are assigned, not what they subscribe to: what one is assigned counts for all.
 * A topic that a member does not subscribe to is read by those that do, and waits while they are away.
 */
function groupOf({ state, members }: ConfluentGroup): GroupDescription {
  const assigned = members.flatMap(({ assignment }) => assignment.topicPartitions.map(({ topic }) => topic));
  const topics = [...new Set(assigned)];
  return { state: state === STABLE ? 'Stable' : 'Rebalancing', members: members.map(() => ({ topics })) };
}
