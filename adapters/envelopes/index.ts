/**
 * Events in an envelope: where the key and the payload are, as options to spread into those of any surface.
 *
 * @example
 * ```ts
 * const options = { client, queueUrl, handleOnce, ...sns, schema: orderSchema };
 * const worker = createSqsWorker(options, async (order) => ship(order));
 * ```
 *
 * @module handle-once/envelopes
 */
export { cloudEvents } from './cloud-events.ts';
export { debezium, type DebeziumChange } from './debezium.ts';
export type { Envelope, WrappedMessage } from './envelope.ts';
export { eventBridge } from './event-bridge.ts';
export { s3, type S3EventRecord, s3ViaSns } from './s3.ts';
export { sns } from './sns.ts';
