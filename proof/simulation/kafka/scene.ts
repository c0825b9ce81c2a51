import { coordinatesOf, recordBytes } from '../../../adapters/shared/kafka/log-identity.ts';
import {
  type KafkaDelivery,
  type KafkaEvent,
  type KafkaMessage,
  onceEachKafkaMessage,
} from '../../../adapters/kafka/index.ts';
import type { KafkaConsumer, KafkaProducer, RunConfig } from '../../../adapters/kafka/log/kafkajs-types.ts';
import type { KafkaHeaders } from '../../../adapters/kafka/log/log-client.ts';
import { fingerprint } from '../../../src/payload/fingerprint.ts';
import { handleBatch } from '../actors/batch-handler.ts';
import type { Process } from '../actors/process.ts';
import type { Scene, Worker } from '../actors/surface.ts';
import type { Assigned } from '../facts/kafka-facts.ts';
import type { Database } from '../models/database.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { Broker, nameOf } from './broker/broker.ts';
import type { PartitionLog, Produced } from './broker/partition-log.ts';
import { DEAD_LETTER_TOPIC, GROUP, RETRY_PARTITIONS, RETRY_TOPIC_NAMES, TOPIC } from './broker/topics.ts';
import { createAdmin } from './client/admin.ts';
import { createConsumer } from './client/consumer.ts';
import { Link } from './client/link.ts';
import { type Copy, createProducer } from './client/producer.ts';
import { nameOfEvent, textOfEvent } from './events.ts';
import { scheduleBrokerIncidents, scheduleLostRights, type Started } from './incidents.ts';
import { isAtItsEnd } from './is-at-its-end.ts';
import { type KafkaSettings, kafkaSettingsOf } from './settings.ts';

/** The header by which a message is known, and each copy of it. */
const ID_HEADER = 'id';
const BATCH_SIZE = 5;
const MARKER_SHARE = 0.15;
const PAUSING_SHARE = 0.03;

/** A message that has been sent. */
interface Sent {
  readonly planned: PlannedMessage;
  /** The same, as its record knows it. */
  readonly message: PlannedMessage;
}

/** A cluster, and the consumers of one group. */
export class KafkaScene implements Scene {
  readonly #world: World;
  readonly #settings: KafkaSettings;
  readonly #broker: Broker;
  readonly #retryTopics: readonly { readonly topic: string; readonly delayMs: number }[];
  readonly #started: Started[] = [];
  readonly #sent = new Map<string, Sent>();

  constructor(world: World, database: Database) {
    this.#world = world;
    this.#settings = kafkaSettingsOf(world.random, world.plan.settings);
    const { nodes, partitions, retryDelays, fromBeginning } = this.#settings;
    this.#retryTopics = retryDelays.map((delayMs, index) => ({
      topic: RETRY_TOPIC_NAMES[index] as string,
      delayMs,
    }));
    const retries = Object.fromEntries(this.#retryTopics.map(({ topic }) => [topic, RETRY_PARTITIONS]));
    this.#broker = new Broker(world, nodes, { [TOPIC]: partitions, ...retries });
    for (const { topic, partition } of this.#broker.logs()) {
      if (topic !== TOPIC || fromBeginning) world.ledger.logs.owe(topic, partition, 0);
    }
    scheduleBrokerIncidents(world, database, this.#broker, this.#settings, () => this.#started);
    scheduleLostRights(world, this.#broker, [DEAD_LETTER_TOPIC, ...Object.keys(retries)]);
  }

  send(planned: PlannedMessage): void {
    const { random, scheduler } = this.#world;
    const lane = random.chance(0.2) ? undefined : planned.group;
    const logs = this.#broker.logsOf(TOPIC);
    const log = (
      lane === undefined ? random.pick(logs) : logs[lane.charCodeAt(lane.length - 1) % logs.length]
    ) as PartitionLog;
    const produced: Produced = {
      key: lane === undefined ? null : Buffer.from(lane),
      value: Buffer.from(planned.body),
      headers: { [ID_HEADER]: Buffer.from(planned.id) },
      timestamp: String(Math.floor(scheduler.now())),
    };
    const message = this.#identify(planned, log, produced);
    this.#sent.set(planned.id, { planned, message });
    this.#world.tell({ type: 'sent', message, isInOrder: false });
    this.#append(log, produced, message, undefined);
    if (random.chance(MARKER_SHARE)) log.appendMarker();
  }

  /** In transactions messages are handled in batches. */
  start({ life, handleOnce, handle }: Process): Worker {
    const link = new Link(this.#world, life, this.#settings.requestTimeoutMs);
    const consumer = this.#createConsumer(life, link);
    this.#started.push({ life, consumer });
    const { concurrency, drainMs, inTransaction } = this.#world.plan.settings;
    const options = { consumer, ...this.#options(life, link), concurrency, drainMs, handleOnce };
    const handleSent: typeof handle = (message, attempt, transaction, terms) =>
      handle(message, attempt, transaction, { ...terms, behavesAs: this.#sent.get(message.id)?.planned.key });
    const open = (delivery: KafkaDelivery<unknown>): PlannedMessage => this.#open(life, delivery);
    const config = inTransaction
      ? onceEachKafkaMessage(
          { ...options, inTransaction, batch: { size: BATCH_SIZE } },
          (deliveries, attempts, tx) => handleBatch(handleSent, deliveries.map(open), attempts, tx),
        )
      : onceEachKafkaMessage(options, (delivery, attempt) => handleSent(open(delivery), attempt));
    void consumer.run(this.#told(life, config) as never);
    return { stop: () => consumer.disconnect() };
  }

  hasEnded({ id }: PlannedMessage): boolean {
    const sent = this.#sent.get(id);
    return sent !== undefined && isAtItsEnd(this.#world.ledger, this.#settings.most, sent.message);
  }

  #options(life: Life, link: Link) {
    const { ordering, fromBeginning, hasAdmin, rebalanceGraceMs, identity } = this.#settings;
    const producer = createProducer(
      life,
      link,
      this.#broker,
      this.#settings.producerRetries,
      (copy, isFirst) => {
        this.#land(life, copy, isFirst);
      },
    );
    const letters: KafkaProducer = { send: (record) => this.#sendLetter(life, producer, record) };
    const isAcknowledged = this.#world.plan.settings.onFailed === 'acknowledge';
    return {
      ...{ groupId: GROUP, ordering, fromBeginning, rebalanceGraceMs },
      onFailed: isAcknowledged
        ? ('acknowledge' as const)
        : { deadLetterTopic: DEAD_LETTER_TOPIC, producer: letters },
      admin: hasAdmin ? createAdmin(link, this.#broker) : undefined,
      retry: this.#retryTopics.length === 0 ? undefined : { topics: this.#retryTopics, producer },
      key: identity === 'place' ? undefined : (message: KafkaMessage) => this.#sentAs(message).message.key,
      onEvent: (event: KafkaEvent) => {
        const name = nameOfEvent(event);
        // What it replayed is told by the engine too.
        if (name !== 'replayed') this.#world.tell({ type: 'event', life, name, ...textOfEvent(event) });
        // As its user is told to: the process ends, and is started again.
        if (name === 'CONSUMER_STOPPED') life.die();
      },
    };
  }

  #createConsumer(life: Life, link: Link): KafkaConsumer {
    const { sessionMs, rebalanceMs, heartbeatMs, maxWaitMs, most, fromBeginning } = this.#settings;
    const { tell, ledger } = this.#world;
    const beginAnew = (assigned?: Assigned): void => {
      tell({ type: 'joined', life, assigned });
    };
    const consumer = createConsumer({
      ...{ life, link, broker: this.#broker, sessionMs, rebalanceMs, heartbeatMs, maxWaitMs, most },
      topics: [TOPIC, ...this.#retryTopics.map(({ topic }) => topic)],
      beginsAtStart: () => fromBeginning,
      onFetch: (positions) => {
        for (const position of positions) {
          const { committed } = ledger.logs.of(position.topic, position.partition);
          if (committed === undefined || ledger.logs.hasWarned(life))
            tell({ type: 'fetched', life, ...position });
        }
      },
      onOutOfRange: (place) => {
        tell({ type: 'fault', fault: 'position out of range', life, what: nameOf(place) });
        beginAnew();
      },
      onRestart: () => {
        tell({ type: 'fault', fault: 'client crashed and started again', life });
        beginAnew({});
      },
    });
    consumer.on('consumer.group_join', ({ payload }) => {
      beginAnew(payload.memberAssignment);
    });
    return consumer;
  }

  /** The same, which tells what is handed over. */
  #told(life: Life, config: RunConfig): RunConfig {
    return {
      ...config,
      eachBatch: (payload) => {
        for (const fetched of payload.batch.messages) {
          const { message } = this.#sentAs(fetched);
          const receiveCount = this.#world.ledger.deliveriesOf(message) + 1;
          this.#world.tell({ type: 'delivered', life, message, receiveCount });
        }
        return config.eachBatch(payload);
      },
    };
  }

  /** The message that a handler is given, which may pause its partition. */
  #open(life: Life, { message, pause }: KafkaDelivery<unknown>): PlannedMessage {
    const { random, network } = this.#world;
    if (random.chance(PAUSING_SHARE) && !network.isCalm) this.#pause(life, pause);
    return this.#sentAs(message).message;
  }

  /** A pause of a handler's own. */
  #pause(life: Life, pause: () => () => void): void {
    this.#world.tell({ type: 'fault', fault: 'partition paused by its user', life });
    const resume = pause();
    life.clock.setTimer(resume, this.#world.random.between(100, 3_000));
  }

  async #sendLetter(
    life: Life,
    producer: KafkaProducer,
    record: Parameters<KafkaProducer['send']>[0],
  ): Promise<void> {
    const { message } = this.#sentAs(record.messages[0] ?? {});
    const { tell } = this.#world;
    tell({ type: 'letter-asked', life, message });
    let isSent = false;
    try {
      await producer.send(record);
      isSent = true;
    } finally {
      tell({ type: 'letter-answered', life, message, isSent });
    }
  }

  #land(life: Life, { topic, ...copy }: Copy, isFirst: boolean): void {
    const { random, tell } = this.#world;
    const { message } = this.#sentAs(copy);
    if (topic === DEAD_LETTER_TOPIC) {
      if (isFirst) tell({ type: 'letter', life, message });
      return;
    }
    // Of the clock of its producer, as kafkajs does it. Brokers take none from before 1970.
    const timestamp = String(Math.max(0, Math.floor(life.clock.wall())));
    this.#append(random.pick(this.#broker.logsOf(topic)), { ...copy, timestamp }, message, life);
  }

  #append(log: PartitionLog, produced: Produced, message: PlannedMessage, copiedBy: Life | undefined): void {
    const { topic, partition, end: offset } = log;
    this.#world.tell({
      ...{ type: 'appended', topic, partition, offset, message, copiedBy },
      lane: this.#laneOf(produced),
    });
    this.#broker.append(log, produced);
  }

  #laneOf({ key }: Produced): string | undefined {
    const { ordering } = this.#settings;
    if (ordering === 'partition') return 'all';
    return ordering === 'key' ? key?.toString() : undefined;
  }

  /** As the record of a message knows it. */
  #identify(
    planned: PlannedMessage,
    { topic, partition, end }: PartitionLog,
    produced: Produced,
  ): PlannedMessage {
    switch (this.#settings.identity) {
      case 'business key':
        return planned;
      case 'id':
        return { ...planned, key: planned.key === undefined ? undefined : planned.id };
      case 'place':
        return {
          ...planned,
          key: coordinatesOf(topic, partition, String(end)),
          fingerprint: fingerprint(recordBytes(produced)),
        };
    }
  }

  #sentAs({ headers = {} }: { readonly headers?: Readonly<KafkaHeaders> | undefined }): Sent {
    return this.#sent.get(String(headers[ID_HEADER])) as Sent;
  }
}
