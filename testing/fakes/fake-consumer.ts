import * as z from 'zod/mini';
import { InvalidOptionsError } from '../../src/words/errors.ts';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../src/options/parse-options.ts';
import { createFakeBatch, type FakeBatchPayload, type FakeOffsets } from './fake-batch.ts';
import { checkAsKafkajs, checkInput, nonRetriable } from './fake-consumer-input.ts';
import { createFakeLog, type FakeMessage, type FakePartition, type FetchedFakeMessage } from './fake-log.ts';

/** Options of `createFakeConsumer`. */
export interface FakeConsumerOptions {
  /** Of each topic, 1 to 1,000. Default 1. */
  readonly partitions?: number | undefined;
}

/** What an `eachMessage` is called with, in the shape of kafkajs. */
export interface FakeMessagePayload {
  /** As it was produced to. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
  /** The message. */
  readonly message: FetchedFakeMessage;
  /** Does nothing. */
  heartbeat(): Promise<void>;
  /** Pauses the partition. Returns what resumes it. */
  pause(): () => void;
}

/** What `run` takes: the result of `onceEachKafkaMessage`, or a run config of kafkajs of your own. */
export interface FakeRunConfig {
  /** Whether what is resolved is committed at the end of a poll. Default true. */
  readonly autoCommit?: boolean | undefined;
  /** Whether a batch is resolved when its `eachBatch` returns. Default true. */
  readonly eachBatchAutoResolve?: boolean | undefined;
  /** Gets what a poll found in a partition. */
  eachBatch?(payload: FakeBatchPayload): Promise<void>;
  /** Gets one message after the other. */
  eachMessage?(payload: FakeMessagePayload): Promise<void>;
}

/** Partitions, as `pause` and `resume` take them. */
export interface FakePartitions {
  /** Of the partitions. */
  topic: string;
  /** Default: all of the topic. */
  partitions?: number[];
}

/** A consumer in the shape of kafkajs, and the log that it reads. */
export interface FakeConsumer {
  /** Does nothing. */
  connect(): Promise<void>;
  /** Assigns all partitions of topics that are named by text. They are read from their beginning. */
  subscribe(subscription: { topics?: unknown; topic?: unknown; fromBeginning?: boolean }): Promise<void>;
  /** Joins the group, and has polls call the functions of the config. It begins where the group has committed. */
  run(config?: FakeRunConfig): Promise<void>;
  /** Ends what `run` began. */
  stop(): Promise<void>;
  /** The same. */
  disconnect(): Promise<void>;
  /**
   * Listens to `'consumer.group_join'`, `'consumer.start_batch_process'` and `'consumer.stop'`; other events never
   * happen.
   */
  on(event: string, listener: (event: never) => void): () => void;
  /** Keeps polls from partitions. */
  pause(topics: FakePartitions[]): void;
  /** Undoes a pause. */
  resume(topics: FakePartitions[]): void;
  /** Partitions that polls pass over, by topic. */
  paused(): { topic: string; partitions: number[] }[];
  /** Moves the position of a partition: what is there is delivered again. */
  seek(position: { topic: string; partition: number; offset: string }): void;
  /** Commits positions. What `metadata` says is not kept. */
  commitOffsets(
    positions: { topic: string; partition: number; offset: string; metadata?: string | null }[],
  ): Promise<void>;
  /** Appends a message to a partition, by default the first, and gives its offset. */
  produce(topic: string, message: FakeMessage, partition?: number): string;
  /**
   * Hands over what each partition has from its position on, and resolves when that is handled. Rejects with what
   * `eachBatch` or `eachMessage` throws.
   */
  poll(): Promise<void>;
  /** What the group has committed: the offset that a restart begins at. Undefined before the first commit. */
  committed(topic: string, partition?: number): string | undefined;
}

const fakeConsumerOptions = lazily(() =>
  z.strictObject({ partitions: z._default(wholeNumber('partitions', 1, 1_000), 1) }, NOT_AN_OBJECT),
);

/**
 * A consumer of kafkajs in memory, the only one of its group, to test the wiring of `onceEachKafkaMessage`, or of your
 * own `eachMessage` or `eachBatch`, without a broker. Only `poll` delivers messages.
 *
 * A partition that was paused after a failure is resumed by real time; `stop` and `run` begin again at once where the
 * group has committed. It has no rebalances and no errors of a broker.
 *
 * Throws `InvalidOptionsError`, as do `subscribe`, `run` and `produce` for arguments that do not have the shape of
 * kafkajs, and `seek` for a partition that does not exist. Before `run`, and for wrong arguments, `pause`, `resume`,
 * `seek` and `commitOffsets` throw a `KafkaJSNonRetriableError`, as kafkajs does; so does `subscribe` between `run` and
 * `stop`.
 *
 * @example
 * ```ts
 * const fake = createFakeConsumer();
 * await fake.subscribe({ topics: ['orders'] });
 * const options = { consumer: fake, groupId: 'billing', fromBeginning: true, handleOnce, schema: orderSchema };
 * await fake.run(onceEachKafkaMessage({ ...options, onFailed: 'acknowledge' }, ({ payload }) => ship(payload)));
 * fake.produce('orders', { value: '{"orderId":"order-7","cents":995}' });
 * await fake.poll();
 * console.log(fake.committed('orders')); // 1
 * ```
 */
export function createFakeConsumer(options: FakeConsumerOptions = {}): FakeConsumer {
  const { partitions: count } = parseOptions('createFakeConsumer', fakeConsumerOptions(), options);
  const log = createFakeLog();
  const topics = new Set<string>();
  const paused = new Set<FakePartition>();
  const listeners = new Map<string, ((event: never) => void)[]>();
  let config: FakeRunConfig | undefined;

  const numbers = Array.from({ length: count }, (_, number) => number);
  const assigned = (): FakePartition[] =>
    [...topics].flatMap((topic) => numbers.map((number) => log.partitionOf(topic, number)));
  const chosen = ({ topic, partitions = numbers }: FakePartitions): FakePartition[] =>
    partitions.map((number) => log.partitionOf(topic, number));

  function checkPartition(number: number): void {
    if (numbers.includes(number)) return;
    throw refused('partition', `must be a whole number below ${count}, the partitions of each topic`);
  }

  function emit(event: string, payload: object): void {
    for (const listener of listeners.get(event) ?? []) listener({ payload } as never);
  }

  function commit({ topics: offsets }: FakeOffsets): void {
    for (const { topic, partitions } of offsets) {
      for (const { partition, offset } of partitions) {
        log.partitionOf(topic, partition).committed = Number(offset);
      }
    }
  }

  function pause(partition: FakePartition): () => void {
    paused.add(partition);
    return () => {
      paused.delete(partition);
    };
  }

  const isRunning = (): boolean => config !== undefined;
  const host = { isRunning, pause, commit };

  function end(): Promise<void> {
    if (config !== undefined) emit('consumer.stop', {});
    config = undefined;
    return Promise.resolve();
  }

  async function pollOne(partition: FakePartition, running: FakeRunConfig): Promise<void> {
    const payload = createFakeBatch(partition, host);
    if (payload.batch.isEmpty()) return;
    try {
      await handOver(payload, partition, running);
    } finally {
      if (running.autoCommit !== false && !payload.isStale()) await payload.commitOffsetsIfNecessary();
    }
  }

  async function handOver(
    payload: FakeBatchPayload,
    partition: FakePartition,
    running: FakeRunConfig,
  ): Promise<void> {
    const { topic, messages } = payload.batch;
    emit('consumer.start_batch_process', {
      ...{ topic, partition: partition.partition, batchSize: messages.length },
      lastOffset: payload.batch.lastOffset(),
    });
    if (running.eachBatch !== undefined) {
      await running.eachBatch(payload);
      if (running.eachBatchAutoResolve !== false) payload.resolveOffset(payload.batch.lastOffset());
      return;
    }
    const common = {
      topic,
      partition: partition.partition,
      heartbeat: () => payload.heartbeat(),
      pause: () => payload.pause(),
    };
    for (const message of messages) {
      if (paused.has(partition) || payload.isStale() || !payload.isRunning()) return;
      await running.eachMessage?.({ ...common, message });
      payload.resolveOffset(message.offset);
    }
  }

  return {
    connect: () => Promise.resolve(),
    subscribe: (subscription) =>
      promised(() => {
        if (isRunning()) throw nonRetriable('Cannot subscribe to topic while consumer is running');
        checkInput('subscribe', subscription);
        const { topics: several = [], topic = [] } = subscription;
        const names = [several, topic].flat().map(topicName);
        if (names.length === 0) throw refused('topics', 'must name a topic');
        for (const name of names) topics.add(name);
      }),
    run: (given = {}) =>
      promised(() => {
        checkInput('run', given);
        config = given;
        paused.clear();
        for (const partition of assigned()) partition.position = partition.committed ?? 0;
        emit('consumer.group_join', {
          memberAssignment: Object.fromEntries([...topics].map((topic) => [topic, numbers])),
        });
      }),
    stop: end,
    disconnect: end,
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return () => {
        listeners.set(event, listeners.get(event)?.filter((other) => other !== listener) ?? []);
      };
    },
    pause(some) {
      checkAsKafkajs('pause', some, isRunning());
      for (const partition of some.flatMap(chosen)) pause(partition);
    },
    resume(some) {
      checkAsKafkajs('resume', some, isRunning());
      for (const partition of some.flatMap(chosen)) paused.delete(partition);
    },
    paused: () =>
      Array.from(topics, (topic) => ({
        topic,
        partitions: numbers.filter((number) => isRunning() && paused.has(log.partitionOf(topic, number))),
      })).filter(({ partitions }) => partitions.length > 0),
    seek(position) {
      checkAsKafkajs('seek', position, isRunning());
      const { topic, partition: number, offset } = position;
      checkPartition(number);
      const partition = log.partitionOf(topic, number);
      partition.position = Number(offset);
      partition.seeks += 1;
    },
    commitOffsets: (positions) =>
      promised(() => {
        checkAsKafkajs('commitOffsets', positions, isRunning());
        commit({ topics: positions.map(({ topic, ...place }) => ({ topic, partitions: [place] })) });
      }),
    produce(topic, message, partition = 0) {
      checkInput('produce', { topic, message });
      checkPartition(partition);
      return log.append(topic, partition, message);
    },
    async poll() {
      const running = config;
      if (running === undefined) throw refused('poll', 'must come after run');
      const stray = log.partitions().find(({ topic, messages }) => messages.length > 0 && !topics.has(topic));
      if (stray !== undefined) throw refused('subscribe', `must name ${stray.topic}, which has messages`);
      for (const partition of assigned()) {
        if (config === running && !paused.has(partition)) await pollOne(partition, running);
      }
    },
    committed(topic, partition = 0) {
      const { committed } = log.partitionOf(topic, partition);
      return committed === undefined ? undefined : String(committed);
    },
  };
}

function topicName(name: unknown): string {
  if (typeof name !== 'string')
    throw refused('topics', 'must be strings: a fake consumer does not support patterns');
  return name;
}

/** What `act` throws rejects. */
function promised(act: () => void): Promise<void> {
  return new Promise((resolve) => {
    act();
    resolve();
  });
}

function refused(field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError('createFakeConsumer', [{ field, message }]);
}
