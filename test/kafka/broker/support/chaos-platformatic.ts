import { createKafkaWorker } from 'handle-once/kafka-platformatic';
import type { ChaosConsumer, ChaosPlan } from './chaos-consumer.ts';
import { DRAIN_MS } from './chaos-settings.ts';
import {
  platformaticConfig,
  platformaticPackage,
  watchedPlatformatic,
} from './members/platformatic-package.ts';

export function consumerOf({ settings, report, onEvent, handling, handler }: ChaosPlan): ChaosConsumer {
  const { topic, groupId, fromBeginning, ordering, brokers, sessionTimeoutMs } = settings;
  const { client } = watchedPlatformatic({
    joined(assignment) {
      report({ type: 'joined', partitions: assignment[topic] ?? [], isLeader: false });
    },
    committed(partition, offset) {
      report({ type: 'committed', partition, offset });
    },
  });
  const times = { sessionTimeout: sessionTimeoutMs, heartbeatInterval: 300, maxWaitTimeInMs: 100 };
  const admin = fromBeginning
    ? undefined
    : new (platformaticPackage().Admin)({ clientId: 'chaos', bootstrapBrokers: brokers });
  const worker = createKafkaWorker(
    {
      client,
      config: platformaticConfig(brokers, times),
      topics: [topic],
      ...{ groupId, ...handling, fromBeginning, ordering, admin },
      onFailed: 'acknowledge',
      drainMs: DRAIN_MS,
      // Below the shortest session, in which no heartbeat is sent meanwhile.
      rebalanceGraceMs: 500,
      onEvent(event) {
        onEvent(event);
        if (event.type === 'warning' && event.warning === 'CONSUMER_STOPPED')
          report({ type: 'crashed', error: event.message, restart: false });
      },
    },
    handler,
  );
  return {
    start: () => worker.run(),
    async end() {
      await worker.stop();
      await admin?.close();
    },
  };
}
