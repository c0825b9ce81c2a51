import { isError, printable } from '../../../src/adapter-kit.ts';
import { type Around, InvalidOptionsError } from '../../../src/index.ts';
import type {
  BatchPayload,
  FetchedMessage,
  KafkaConsumer,
  KafkaTopicPartitions,
} from '../log/kafkajs-types.ts';
import type {
  Fetch,
  KafkaHeaders,
  KafkaMessage,
  LogConsumer,
  LogListener,
  Place,
} from '../log/log-client.ts';
import { ConsumerEndedError } from '../log/stop-errors.ts';
import type { Pauses } from '../partition/pauses.ts';
import { idOf } from '../log/place-id.ts';
import { KafkaJsPauses } from './kafkajs-pauses.ts';

/** Translates a consumer of kafkajs. Its admin and producer are used in the shapes of kafkajs-types.ts. */
export interface KafkaJs extends LogConsumer {
  /**
   * A batch as a fetch. Throws `ConsumerEndedError` for a consumer that was stopped before it had joined its group, and
   * `InvalidOptionsError` for one of another group than `groupId`, and for a batch of another consumer.
   */
  fetchOf(payload: BatchPayload): Fetch;
}

/** Errors that mean: the group continues without this member, until it has joined again. */
const MEMBERSHIP_ERRORS = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

type Methods = Pick<KafkaConsumer, 'pause' | 'resume' | 'seek' | 'run' | 'stop' | 'disconnect'>;

/** A consumer may be given to `onceEachKafkaMessage` again, for another run. */
interface Known {
  /** Its own methods. */
  readonly own: Methods;
  /** Whether it has crashed, and the client will start it again. */
  readonly isRestarting: () => boolean;
  /** What ends the listeners of the run before. */
  readonly removers: readonly unknown[];
}

const knownConsumers = new WeakMap<KafkaConsumer, Known>();

export interface KafkaJsOptions {
  /** The group that records are kept by. */
  readonly groupId: string;
  readonly listener: LogListener;
  readonly pauses: Pauses;
  /** Of the option of `createHandleOnce`. */
  readonly around?: Around['consumer'];
  /** Called when the consumer has stopped. */
  readonly close?: () => Promise<void>;
}

/** Throws `InvalidOptionsError` for a consumer that runs. */
export function listenTo(
  consumer: KafkaConsumer,
  { groupId, listener, pauses, around = (start) => start(), close = () => Promise.resolve() }: KafkaJsOptions,
): KafkaJs {
  const known = knownConsumers.get(consumer);
  const own = known?.own ?? methodsOf(consumer);
  if (isRunning(own) || known?.isRestarting() === true) throw runsAlready();
  for (const remove of known?.removers.filter(isRemover) ?? []) remove();
  const kafkaJsPauses = new KafkaJsPauses(own, pauses);
  /** The last offsets of batches that the consumer has announced, by topic and partition. */
  const announced = new Map<string, string>();
  let hasEnded = false;
  let isRestarting = false;
  let joinedGroup = groupId;
  let refusal: InvalidOptionsError | undefined;

  async function ended(stopped: Promise<void>): Promise<void> {
    await Promise.all([stopped, listener.stopping()]);
    hasEnded = true;
    isRestarting = false;
    await close();
  }

  /** The other consumer stops with this error. Its crash is no event of this one. */
  function refuseOther(): InvalidOptionsError {
    if (refusal === undefined) {
      refusal = otherConsumer();
      listener.misused(refusal);
    }
    return refusal;
  }

  Object.assign(consumer, {
    pause(topics: KafkaTopicPartitions[]) {
      kafkaJsPauses.callOfUser('pause', topics);
    },
    resume(topics: KafkaTopicPartitions[]) {
      kafkaJsPauses.callOfUser('resume', topics);
    },
    seek(position) {
      own.seek(position);
      listener.moved(position, offsetOf(position));
    },
    async run(config?: never) {
      hasEnded = false;
      await around(() => own.run(config));
    },
    async stop() {
      await ended(own.stop());
    },
    async disconnect() {
      await ended(own.disconnect());
    },
  } satisfies Methods);

  const removers = [
    consumer.on('consumer.group_join', ({ payload }) => {
      joinedGroup = payload.groupId ?? groupId;
      isRestarting = false;
      listener.joined(payload.memberAssignment);
    }),
    consumer.on('consumer.stop', () => {
      listener.stopped();
    }),
    consumer.on('consumer.crash', ({ payload: { error, restart } }) => {
      isRestarting = restart;
      listener.crashed(error, restart);
    }),
    consumer.on('consumer.network.request', ({ payload: { apiName } }) => {
      if (apiName === 'ListOffsets') listener.lookedUp();
    }),
    consumer.on('consumer.start_batch_process', ({ payload }) => {
      announced.set(idOf(payload), payload.lastOffset);
    }),
    consumer.on('consumer.end_batch_process', ({ payload: { topic, partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) listener.passedOver({ topic, partition }, after(lastOffset));
    }),
  ];
  knownConsumers.set(consumer, { own, removers, isRestarting: () => isRestarting });

  /** The consumer announces each batch just before it calls `eachBatch`. Another one announces nothing here. */
  function isOurs({ batch }: BatchPayload): boolean {
    const id = idOf(batch);
    return announced.get(id) === batch.lastOffset() && announced.delete(id);
  }

  function commit({ topic, partition }: Place, position: bigint): Promise<void> {
    return consumer.commitOffsets([{ topic, partition, offset: String(position) }]);
  }

  return {
    applyPause(place) {
      kafkaJsPauses.apply(place);
    },
    callOfUser(verb, topics) {
      kafkaJsPauses.callOfUser(verb, topics as KafkaTopicPartitions[]);
    },
    moveTo({ topic, partition }, position) {
      own.seek({ topic, partition, offset: String(position) });
    },
    commit,
    endsMembership: (error): error is Error =>
      isError(error) && 'type' in error && MEMBERSHIP_ERRORS.has(String(error.type)),
    fetchOf(payload) {
      if (!isOurs(payload)) throw refuseOther();
      // In kafkajs a consumer that is stopped while it joins can come back, and handle messages.
      if (hasEnded) throw new ConsumerEndedError();
      if (joinedGroup !== groupId) throw otherGroup(groupId, joinedGroup);
      return fetchOf(payload);
    },
  };
}

/** A fake may return nothing. */
function isRemover(returned: unknown): returned is () => void {
  return typeof returned === 'function';
}

/** Another group's records would answer its messages, which then never run. */
function otherGroup(given: string, joined: string): InvalidOptionsError {
  const message =
    `is ${printable(given)}, but the consumer has joined the group ${printable(joined)}: pass the ` +
    'groupId of kafka.consumer. Nothing was handled';
  return new InvalidOptionsError('onceEachKafkaMessage', [{ field: 'groupId', message }]);
}

/** In kafkajs only the `pause` of a consumer that runs does not throw. Without topics it does nothing. */
function isRunning(own: Methods): boolean {
  try {
    own.pause([]);
    return true;
  } catch {
    return false;
  }
}

function runsAlready(): InvalidOptionsError {
  const message =
    'is already running: stop it before you make another config for it, or make another consumer';
  return new InvalidOptionsError('onceEachKafkaMessage', [{ field: 'consumer', message }]);
}

/** It is not known which partitions the consumer has that runs the config. */
function otherConsumer(): InvalidOptionsError {
  const message =
    'is not the one that runs this config, or has a later config: make one config for each consumer, and pass it ' +
    'to run of that consumer. Nothing was handled';
  return new InvalidOptionsError('onceEachKafkaMessage', [{ field: 'consumer', message }]);
}

function methodsOf(consumer: KafkaConsumer): Methods {
  return {
    pause: consumer.pause.bind(consumer),
    resume: consumer.resume.bind(consumer),
    seek: consumer.seek.bind(consumer),
    run: consumer.run.bind(consumer),
    stop: consumer.stop.bind(consumer),
    disconnect: consumer.disconnect.bind(consumer),
  };
}

/** Undefined for -1 and -2, which stand for the end and the beginning. */
function offsetOf({ offset }: { readonly offset: string }): bigint | undefined {
  const position = BigInt(offset);
  return position < 0n ? undefined : position;
}

function after(offset: string): bigint {
  return BigInt(offset) + 1n;
}

/** A batch as a fetch. */
export function fetchOf(payload: BatchPayload): Fetch {
  const { batch } = payload;
  const { topic, partition } = batch;
  const messages = batch.messages.map(complete);
  return {
    topic,
    partition,
    messages,
    from: positionOf(batch),
    to: after(batch.lastOffset()),
    end: BigInt(batch.highWatermark),
    advance(position) {
      payload.resolveOffset(String(position - 1n));
      return !payload.isStale();
    },
    commit: (position) =>
      payload.commitOffsetsIfNecessary({
        topics: [{ topic, partitions: [{ partition, offset: String(position) }] }],
      }),
    heartbeat: () => payload.heartbeat(),
    isRunning: () => payload.isRunning(),
    isStale: () => payload.isStale(),
  };
}

/** Its types do not have it: the offset of the request, which compaction can have removed. */
function positionOf(batch: BatchPayload['batch']): bigint {
  const from = 'fetchedOffset' in batch ? String(batch.fetchedOffset) : batch.messages[0]?.offset;
  return BigInt(from ?? 0);
}

/** As Kafka writes it. */
const NO_TIMESTAMP = '-1';

function complete(message: FetchedMessage): KafkaMessage {
  const { timestamp = NO_TIMESTAMP, headers = {} } = message;
  return { ...message, timestamp, headers: withoutInherited(headers) };
}

/** kafkajs takes what each object inherits, such as its `constructor`, for the first header of that name. */
function withoutInherited(headers: KafkaHeaders): KafkaHeaders {
  if (!Object.keys(headers).some((name) => name in Object.prototype)) return headers;
  const pairs = Object.entries(headers).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const own = value.filter(isContent);
    return [name, own.length === 1 ? own[0] : own];
  });
  return Object.fromEntries(pairs) as KafkaHeaders;
}

function isContent(value: unknown): boolean {
  return value === null || Buffer.isBuffer(value);
}
