import { createKafkaWorker } from 'handle-once/kafka-confluent';
import { onTestFinished } from 'vitest';
import { until } from '../../../../support/until.ts';
import { confluentKafka } from './confluent-package.ts';
import { type Member, type MemberPlan, type StartMember, TIMEOUTS } from './member.ts';
import { settingsOf, watchedPackage } from './watched-package.ts';

export const startConfluentMember: StartMember = ({ kafka, topic, groupId, handleOnce, events, ...plan }) => {
  const { config, otherTopics = [], admin, onFailed, retry, fromBeginning = true, ...options } = plan.options;
  const watched = watchedPackage();
  const brokers = kafka.brokers();
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
      ...producersOf(brokers, { onFailed, retry }),
    },
    plan.handler,
  );
  onTestFinished(() => worker.stop());
  const member: Member = {
    consumer: {
      pause(topics) {
        worker.pause(topics);
      },
      resume(topics) {
        worker.resume(topics);
      },
      paused: () =>
        worker.paused().map(({ topic: of, partition }) => ({ topic: of, partitions: [partition] })),
      seek(position) {
        worker.seek(position);
      },
      stop: () => worker.stop(),
      disconnect: () => worker.stop(),
    },
    counts: () => worker.counts(),
    health: () => worker.health(),
    async restart() {
      const before = watched.seen.joins.length;
      await worker.run();
      // As a consumer of kafkajs, whose run ends with the join.
      await until(() => watched.seen.joins.length > before);
    },
    ...watched.seen,
  };
  return { member, seen: watched.seen };
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

interface Given {
  readonly onFailed: MemberPlan['options']['onFailed'] | undefined;
  readonly retry: MemberPlan['options']['retry'] | undefined;
}

/** Producers of the client in place of those of kafkajs; those that a test makes fail stay. */
function producersOf(
  brokers: readonly string[],
  { onFailed = 'acknowledge', retry }: Given,
): { onFailed: never; retry: never } {
  let own: object | undefined;
  const instead = (producer: object): object =>
    'events' in producer ? (own ??= producerOf(brokers)) : producer;
  const letters =
    onFailed === 'acknowledge' ? onFailed : { ...onFailed, producer: instead(onFailed.producer) };
  return {
    onFailed: letters as never,
    retry: (retry && { ...retry, producer: instead(retry.producer) }) as never,
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
