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
export type { RedriveReport } from '../operations/redrive/redriver.ts';
export type { KafkaEvent } from './log/events.ts';
export type { KafkaHealth } from './health.ts';
export type { KafkaMessage } from './log/log-client.ts';
export { onceEachKafkaMessage, type OnceEachKafkaMessage } from './once-each-kafka-message.ts';
export type {
  KafkaBatchHandler,
  KafkaDelivery,
  KafkaHandler,
  OnceEachKafkaMessageOptions,
} from './options/options.ts';
export type { RedrivenTopicDeadLetter, RedriveTopicOptions } from './redrive/options.ts';
export { redriveTopic } from './redrive/redrive-topic.ts';
