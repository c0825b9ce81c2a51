import { onceEachKafkaMessage } from 'handle-once/kafka';
import { createKafkaClient } from '../../../support/kafka-client.ts';
import type { ChaosConsumer, ChaosPlan } from './chaos-consumer.ts';
import { DRAIN_MS } from './chaos-settings.ts';

export function consumerOf({ settings, report, onEvent, handling, handler }: ChaosPlan): ChaosConsumer {
  const { topic, groupId, fromBeginning, ordering } = settings;
  const kafka = createKafkaClient([...settings.brokers]);
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: settings.sessionTimeoutMs,
    heartbeatInterval: 300,
    maxWaitTimeInMs: 100,
    // The client's own wait grows to seconds while a broker is away.
    retry: { initialRetryTime: 100, maxRetryTime: 1_000 },
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment, isLeader } }) => {
    report({ type: 'joined', partitions: memberAssignment[topic] ?? [], isLeader });
  });
  consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
    for (const { partition, offset } of payload.topics.flatMap(({ partitions }) => partitions)) {
      // The client gives partitions as strings here, whatever its types say.
      report({ type: 'committed', partition: Number(String(partition)), offset: Number(offset) });
    }
  });
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    report({ type: 'crashed', error: `${error.name}: ${error.message}`, restart });
  });
  const admin = kafka.admin();
  const options = { consumer, groupId, ...handling, fromBeginning, ordering, onEvent };
  const own = {
    admin: fromBeginning ? undefined : admin,
    onFailed: 'acknowledge',
    drainMs: DRAIN_MS,
  } as const;
  return {
    async start() {
      if (!fromBeginning) await admin.connect();
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning });
      await consumer.run(onceEachKafkaMessage({ ...options, ...own }, handler));
    },
    end: () => consumer.disconnect(),
  };
}
