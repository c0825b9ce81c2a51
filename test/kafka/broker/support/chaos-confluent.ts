import { createKafkaWorker } from 'handle-once/kafka-confluent';
import type { ChaosConsumer, ChaosPlan } from './chaos-consumer.ts';
import { DRAIN_MS } from './chaos-settings.ts';
import { confluentKafka } from './members/confluent-package.ts';
import { settingsOf, watchedPackage } from './members/watched-package.ts';

export function consumerOf({ settings, report, onEvent, handling, handler }: ChaosPlan): ChaosConsumer {
  const { topic, groupId, fromBeginning, ordering, brokers, sessionTimeoutMs } = settings;
  const { client } = watchedPackage({
    joined(assignment) {
      report({ type: 'joined', partitions: assignment[topic] ?? [], isLeader: false });
    },
    committed(partition, offset) {
      report({ type: 'committed', partition, offset });
    },
  });
  const admin = confluentKafka(brokers).admin();
  const times = { sessionTimeout: sessionTimeoutMs, heartbeatInterval: 300, maxWaitTimeInMs: 100 };
  const worker = createKafkaWorker(
    {
      client,
      config: { 'bootstrap.servers': brokers.join(','), ...settingsOf(times) },
      topics: [topic],
      ...{ groupId, ...handling, fromBeginning, ordering },
      admin: fromBeginning ? undefined : admin,
      onFailed: 'acknowledge',
      drainMs: DRAIN_MS,
      onEvent(event) {
        onEvent(event);
        if (event.type === 'warning' && event.warning === 'CONSUMER_STOPPED')
          report({ type: 'crashed', error: event.message, restart: false });
      },
    },
    handler,
  );
  return {
    async start() {
      if (!fromBeginning) await admin.connect();
      await worker.run();
    },
    end: () => worker.stop(),
  };
}
