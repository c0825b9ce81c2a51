/**
 * Kafka: wraps an `eachMessage` handler of a kafkajs consumer, so that each message is handled once.
 *
 * @example
 * ```ts
 * import { onceEachKafkaMessage } from 'handle-once/kafka';
 *
 * const onFailed = { deadLetterTopic: 'orders-failed', producer };
 * const options = { consumer, groupId, handleOnce, schema: orderSchema, onFailed };
 * await consumer.run(onceEachKafkaMessage(options, async ({ payload }) => ship(payload)));
 * ```
 *
 * @module handle-once/kafka
 */
export type { KeptDeadLetterReason, DeadLetterOutcome } from '../operations/redrive/dead-letter.ts';
export type { RedriveOptions } from '../operations/redrive/options.ts';
export type { RedriveReport } from '../operations/redrive/redriver.ts';
export type { KafkaOnFailed } from './log/dead-letter.ts';
export type { KafkaEvent, KafkaWarning, KafkaKeptReason, LogChange } from './log/events.ts';
export type { KafkaAdmin, KafkaConsumer, KafkaProducer, RunConfig } from './log/kafkajs-types.ts';
export type { HeldPartition, KafkaHealth, KafkaMonitor, PartitionHealth } from './health.ts';
export type { KafkaHeaders, KafkaMessage } from './log/log-client.ts';
export { onceEachKafkaMessage, type OnceEachKafkaMessage } from './once-each-kafka-message.ts';
export type {
  ConsumerTimeouts,
  KafkaDelivery,
  KafkaHandler,
  KafkaPayload,
  OnceEachKafkaMessageOptions,
} from './options/options.ts';
export type { Ordering } from './options/ordering.ts';
export type {
  KafkaClients,
  KafkaConnection,
  DeadLetterAdmin,
  DeadLetterConsumer,
  DeadLetterConsumerConfig,
} from './redrive/kafka-client.ts';
export type { RedrivenTopicDeadLetter, RedriveTopicOptions, TopicDeadLetter } from './redrive/options.ts';
export { redriveTopic } from './redrive/redrive-topic.ts';
export type { RetryInTopics, RetryTopic } from './options/retry-options.ts';
