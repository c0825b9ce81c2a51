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
export type { KafkaEvent } from '../log/events.ts';
export type { KafkaHealth } from '../health.ts';
export type { KafkaMessage } from '../log/log-client.ts';
export type { KafkaBatchHandler, KafkaDelivery, KafkaHandler } from '../options/options.ts';
export { createKafkaWorker } from './create-worker.ts';
export type { KafkaWorkerOptions } from './options.ts';
export type { KafkaWorker } from '../worker.ts';
