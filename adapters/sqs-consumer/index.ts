/**
 * sqs-consumer: options for its `Consumer`, whose messages are each handled once.
 *
 * @example
 * ```ts
 * import { onceHandleMessage } from 'handle-once/sqs-consumer';
 * import { Consumer } from 'sqs-consumer';
 *
 * const options = { consumerOptions: { queueUrl, sqs: client }, handleOnce };
 * const consumer = Consumer.create(onceHandleMessage(options, async (order) => ship(order)));
 * consumer.start();
 * ```
 *
 * @module
 */
export type { OnFailed } from '../shared/sqs/queue-options.ts';
export type { AddedSettings, ConsumerSettings } from './consumer-settings.ts';
export type { KeptReason, SqsConsumerEvent, SqsConsumerWarning } from './events.ts';
export type { SqsMessage } from './message.ts';
export { type OnceHandleMessage, onceHandleMessage } from './once-handle-message.ts';
export { type OnceHandleMessageBatch, onceHandleMessageBatch } from './once-handle-message-batch.ts';
export type { SqsConsumerAttempt, SqsConsumerHandler, SqsConsumerOptions } from './options.ts';
export type { SqsClient } from './queue.ts';
