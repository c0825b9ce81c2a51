import { createKafkaWorker } from 'handle-once/kafka-confluent';
import { onTestFinished } from 'vitest';
import { confluentKafka } from './confluent-package.ts';
import { type StartMember, TIMEOUTS } from './member.ts';
import { settingsOf, watchedPackage } from './watched-package.ts';
import { isOfKafkaJs, memberOf, withProducers } from './worker-member.ts';

export const startConfluentMember: StartMember = ({ kafka, topic, groupId, handleOnce, events, ...plan }) => {
  const { config, otherTopics = [], admin, onFailed, retry, fromBeginning = true, ...options } = plan.options;
  const watched = watchedPackage();
  const brokers = kafka.brokers();
  let ownProducer: object | undefined;
  const ownAdmin = admin === kafka.admin ? adminOf(brokers) : admin;
  const worker = createKafkaWorker(
    {
      client: watched.client,
      config: { 'bootstrap.servers': brokers.join(','), ...settingsOf({ ...TIMEOUTS, ...config }) },
      topics: [topic, ...otherTopics],
      groupId,
      handleOnce,
      fromBeginning,
      drainMs: 500,
      onEvent: (event) => {
        events.push(event);
        if (event.type === 'warning' && event.warning === 'CONSUMER_STOPPED')
          watched.seen.crashes.push({ error: new Error(event.message), restart: false });
      },
      ...options,
      admin: ownAdmin as never,
      ...withProducers({ onFailed, retry }, (producer) =>
        isOfKafkaJs(producer) ? (ownProducer ??= producerOf(brokers)) : producer,
      ),
    },
    plan.handler,
  );
  return { member: memberOf(worker, watched.seen), seen: watched.seen };
};

function adminOf(brokers: readonly string[]): object {
  const admin = confluentKafka(brokers).admin();
  const connected = admin.connect();
  onTestFinished(() => admin.disconnect());
  return {
    fetchOffsets: async (query: never) => (await connected, await admin.fetchOffsets(query)),
    fetchTopicOffsets: async (of: string) => (await connected, await admin.fetchTopicOffsets(of)),
    describeGroups: async (ids: string[]) => (await connected, await admin.describeGroups?.(ids)),
  };
}

function producerOf(brokers: readonly string[]): object {
  const producer = confluentKafka(brokers).producer({
    // It gives up on a topic that is not there within the patience of a test.
    'message.timeout.ms': 2_000,
    'topic.metadata.propagation.max.ms': 500,
    'allow.auto.create.topics': false,
  });
  const connected = producer.connect();
  onTestFinished(() => producer.disconnect());
  return { send: async (record: never) => (await connected, await producer.send(record)) };
}
