/**
 * Kafka, by platformatic's client (`@platformatic/kafka`): a worker whose messages are each handled once. Its records,
 * offsets, events and copies are those of `handle-once/kafka`: a group can change its client.
 *
 * @example
 * ```ts
 * import { Consumer } from '@platformatic/kafka';
 * import { createKafkaWorker } from 'handle-once/kafka-platformatic';
 *
 * const client = { Consumer };
 * const config = { bootstrapBrokers: ['localhost:9092'] };
 * const place = { client, config, topics: ['orders'], groupId: 'billing', fromBeginning: true };
 * const options = { ...place, handleOnce, schema: orderSchema, onFailed: 'acknowledge' } as const;
 * const worker = createKafkaWorker(options, async ({ payload }) => {
 *   await ship(payload);
 * });
 * await worker.run();
 * ```
 *
 * @module handle-once/kafka-platformatic
 */
export type { KafkaEvent, KafkaWarning, KafkaKeptReason, LogChange } from '../log/events.ts';
export type { HeldPartition, KafkaHealth, KafkaMonitor, PartitionHealth } from '../health.ts';
export type { KafkaHeaders, KafkaMessage, TopicPartitions } from '../log/log-client.ts';
export type { KafkaDelivery, KafkaHandler, KafkaPayload } from '../options/options.ts';
export type { Ordering } from '../options/ordering.ts';
export type { RetryTopic } from '../options/retry-options.ts';
export type { PlatformaticConfig } from './consumer-config.ts';
export { createKafkaWorker } from './create-worker.ts';
export type { KafkaWorkerOptions } from './options.ts';
export type {
  PlatformaticAdmin,
  PlatformaticGroup,
  PlatformaticPackage,
  PlatformaticProducer,
} from './platformatic-types.ts';
export type { KafkaWorker } from '../worker.ts';
