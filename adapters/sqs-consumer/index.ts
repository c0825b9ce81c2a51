/**
 * sqs-consumer: options for its `Consumer`, whose messages are each handled once.
 *
 * @example
 * ```ts
 * import { onceEachConsumerMessage } from 'handle-once/sqs-consumer';
 * import { Consumer } from 'sqs-consumer';
 *
 * const options = { consumerOptions: { queueUrl, sqs: client }, handleOnce, schema: orderSchema };
 * const consumer = Consumer.create(onceEachConsumerMessage(options, async (order) => ship(order)));
 * consumer.start();
 * ```
 *
 * @module handle-once/sqs-consumer
 */
export type { SqsClient } from '../shared/sqs/queue.ts';
export type { SqsOnFailed } from '../shared/sqs/queue-options.ts';
export type { AddedSettings, ConsumerSettings } from './consumer-settings.ts';
export type { SqsConsumerKeptReason, SqsConsumerEvent, SqsConsumerWarning } from './events.ts';
export { type OnceEachConsumerMessage, onceEachConsumerMessage } from './once-each-consumer-message.ts';
export { type OnceEachConsumerBatch, onceEachConsumerBatch } from './once-each-consumer-batch.ts';
export type { SqsConsumerAttempt, SqsConsumerHandler, SqsConsumerOptions, SqsMessage } from './options.ts';
