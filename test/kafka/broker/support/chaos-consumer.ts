import type { HandleOnce } from 'handle-once';
import { type KafkaEvent, type KafkaHandler, onceEachMessage } from 'handle-once/kafka';
import { createKafkaWorker } from 'handle-once/kafka-confluent';
import { createKafkaClient } from '../../../support/kafka-client.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';
import { confluentKafka } from './members/confluent-package.ts';
import { settingsOf, watchedPackage } from './members/watched-package.ts';

export interface ChaosPlan {
  readonly settings: ChaosSettings;
  readonly handleOnce: HandleOnce;
  readonly handler: KafkaHandler<undefined, Buffer | null, unknown>;
  readonly report: (what: WorkerReport) => void;
  readonly onEvent: (event: KafkaEvent) => void;
}

interface Course {
  start(): Promise<void>;
  /** Leaves the group, also while it starts. */
  end(): Promise<void>;
}

/** The consumer of a worker process, of the client that KAFKA_CLIENT names. */
export function chaosConsumer(plan: ChaosPlan): Course {
  return process.env['KAFKA_CLIENT'] === 'confluent' ? ofConfluent(plan) : ofKafkaJs(plan);
}

const DRAIN_MS = 100;

function ofKafkaJs({ settings, report, onEvent, handleOnce, handler }: ChaosPlan): Course {
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
  const options = { consumer, groupId, handleOnce, fromBeginning, ordering, onEvent };
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
      await consumer.run(onceEachMessage({ ...options, ...own }, handler));
    },
    end: () => consumer.disconnect(),
  };
}

function ofConfluent({ settings, report, onEvent, handleOnce, handler }: ChaosPlan): Course {
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
      ...{ groupId, handleOnce, fromBeginning, ordering },
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
