import type { KafkaAdmin } from '../../../../adapters/kafka/log/kafkajs-types.ts';
import type { Broker } from '../broker/broker.ts';
import type { ClientError } from '../broker/errors.ts';
import { TOPIC_RETENTION_MS } from '../broker/topics.ts';
import type { Link } from './link.ts';

type Admin = Required<KafkaAdmin>;

/** What kafkajs answers of a group and of topics. It asks once. */
export function createAdmin(link: Link, broker: Broker): Admin {
  const { coordinator } = broker;

  function ask<Result>(look: () => Result | ClientError): Promise<Result> {
    return link.request<Result>((answer) => {
      answer(look());
    });
  }

  return {
    fetchOffsets: ({ topics }) =>
      ask(() =>
        topics.map((topic) => ({
          topic,
          partitions: broker.logsOf(topic).map(({ partition }) => ({
            partition,
            offset: String(coordinator.committedOf(topic, partition) ?? -1),
          })),
        })),
      ),
    fetchTopicOffsets: (topic) =>
      ask(() =>
        broker.logsOf(topic).map(({ partition, start, end }) => ({
          ...{ partition, offset: String(end) },
          ...{ low: String(start), high: String(end) },
        })),
      ),
    describeConfigs: ({ resources }) =>
      ask(
        () =>
          resources
            .map(({ name }) => broker.refusalOf(`describe ${name}`))
            .find((refusal) => refusal !== undefined) ?? {
            resources: resources.map(({ name }) => ({
              resourceName: name,
              configEntries: [
                { configName: 'cleanup.policy', configValue: 'delete' },
                { configName: 'retention.ms', configValue: String(TOPIC_RETENTION_MS) },
              ],
            })),
          },
      ),
    describeGroups: () =>
      ask(() => {
        const members = coordinator.subscriptions().map((topics) => ({ memberMetadata: metadataOf(topics) }));
        return { groups: [{ state: coordinator.state, members }] };
      }),
  };
}

/** What a member told the group: a version, and texts with their lengths. */
function metadataOf(topics: readonly string[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeInt32BE(topics.length, 2);
  const texts = topics.flatMap((topic) => {
    const length = Buffer.alloc(2);
    length.writeInt16BE(Buffer.byteLength(topic));
    return [length, Buffer.from(topic)];
  });
  return Buffer.concat([head, ...texts]);
}
