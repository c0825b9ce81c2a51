import type {
  BatchEvent,
  BatchPayload,
  CrashEvent,
  GroupJoinEvent,
  KafkaConsumer,
  KafkaTopicPartitions,
  RequestEvent,
  RunConfig,
} from '../../../adapters/kafka/log/kafkajs-types.ts';
import { createSubscription } from './subscription.ts';

type Listener = (event: GroupJoinEvent & CrashEvent & BatchEvent & RequestEvent) => void;

export interface FakeConsumer extends KafkaConsumer {
  /** Every call but `on`, such as `pause orders/0`, or `pause orders` for the whole topic. */
  readonly calls: string[];
  /** Whether it has stopped: like the client, it refuses to pause and to resume then. */
  stopped: boolean;
  /** What the client does next; tests replace it. */
  does: {
    run: () => Promise<void>;
    stop: () => Promise<void>;
    disconnect: () => Promise<void>;
    commit: () => Promise<void>;
  };
  /** Reports a batch, and calls the `eachBatch` of its last run config with it. */
  hand(batch: BatchPayload): Promise<void>;
  isPaused(topic: string, partition: number): boolean;
  join(memberAssignment: Record<string, number[]>, groupId?: string): void;
  crash(error: Error, restart: boolean): void;
  /** Tells of a batch, as the client does at its end: an empty one, unless a size is given. */
  endBatch(topic: string, partition: number, lastOffset: string, batchSize?: number): void;
  /** Tells of a request that was answered, such as `ListOffsets`. */
  request(apiName: string): void;
}

/** A consumer that pauses and tells events, as the client's does, and fetches nothing. */
export function fakeConsumer(): FakeConsumer {
  const calls: string[] = [];
  let subscription = createSubscription();
  const listeners = new Map<string, Listener[]>();
  let config: Partial<RunConfig> | undefined;
  const does = {
    run: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    commit: () => Promise.resolve(),
  };

  function command(verb: 'pause' | 'resume', topics: KafkaTopicPartitions[]): void {
    if (consumer.stopped || (topics.length === 0 && config === undefined))
      throw new Error('Consumer group was not initialized, consumer#run must be called first');
    for (const { topic, partitions } of topics) {
      if (partitions === undefined) calls.push(`${verb} ${topic}`);
      else for (const partition of partitions) calls.push(`${verb} ${topic}/${partition}`);
    }
    subscription[verb](topics);
  }

  function tell(event: string, payload: object): void {
    for (const listener of listeners.get(event) ?? []) listener({ payload } as Parameters<Listener>[0]);
  }

  function end(): void {
    if (!consumer.stopped) tell('consumer.stop', {});
    consumer.stopped = true;
  }

  const consumer: FakeConsumer = {
    calls,
    stopped: false,
    does,
    on(event: string, listener: Listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return () => {
        listeners.set(event, listeners.get(event)?.filter((other) => other !== listener) ?? []);
      };
    },
    pause(topics) {
      command('pause', topics);
    },
    resume(topics) {
      command('resume', topics);
    },
    seek({ topic, partition, offset }) {
      calls.push(`seek ${topic}/${partition} ${offset}`);
    },
    async commitOffsets(positions) {
      for (const { topic, partition, offset } of positions)
        calls.push(`commit ${topic}/${partition} ${offset}`);
      await does.commit();
    },
    async run(given) {
      config = given;
      calls.push('run');
      subscription = createSubscription();
      consumer.stopped = false;
      await does.run();
    },
    async stop() {
      calls.push('stop');
      await does.stop();
      end();
    },
    async disconnect() {
      calls.push('disconnect');
      await does.disconnect();
      end();
    },
    async hand(batch) {
      const { topic, partition, messages } = batch.batch;
      const event = { topic, partition, batchSize: messages.length, lastOffset: batch.batch.lastOffset() };
      tell('consumer.start_batch_process', event);
      await config?.eachBatch?.(batch);
    },
    isPaused: (topic, partition) => subscription.isPaused(topic, partition),
    join(memberAssignment, groupId) {
      tell('consumer.group_join', { ...(groupId === undefined ? {} : { groupId }), memberAssignment });
    },
    crash(error, restart) {
      end();
      tell('consumer.crash', { error, restart });
    },
    endBatch(topic, partition, lastOffset, batchSize = 0) {
      tell('consumer.end_batch_process', { topic, partition, batchSize, lastOffset });
    },
    request(apiName) {
      tell('consumer.network.request', { apiName });
    },
  };
  return consumer;
}
