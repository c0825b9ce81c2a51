/**
 * SQS: a worker that handles each message once, and wrappers for a loop or an sqs-consumer that you already have.
 *
 * @example
 * ```ts
 * import { createSqsWorker } from 'handle-once/sqs';
 *
 * const options = { client, queueUrl, handleOnce, schema: orderSchema };
 * const worker = createSqsWorker(options, async (order) => ship(order));
 * await worker.start();
 * ```
 *
 * @module handle-once/sqs
 */
export type { RedriveReport } from '../operations/redrive/redriver.ts';
export { createSqsWorker, type SqsWorker, type SqsWorkerOptions } from './create-sqs-worker.ts';
export type { SqsEvent } from './events.ts';
export type { SqsHealth } from './health.ts';
export type { SqsMessage } from './message.ts';
export type { SqsAttempt, SqsHandler, SqsOptions } from './options.ts';
export type { HandledMessage } from './process-delivery.ts';
export type { RedriveQueueOptions, RedrivenQueueDeadLetter } from './redrive/options.ts';
export { redriveQueue } from './redrive/redrive-queue.ts';
export type { StopReport } from './run.ts';
export { timeOrderedKey } from './time-ordered-key.ts';
export {
  type HandleMessage,
  type HandleMessageOptions,
  onceEachSqsMessage,
} from './once-each-sqs-message.ts';
export type { SqsConsumerEvent } from './sqs-consumer/events.ts';
export {
  type OnceEachConsumerMessage,
  onceEachConsumerMessage,
} from './sqs-consumer/once-each-consumer-message.ts';
export {
  type OnceEachConsumerBatch,
  onceEachConsumerBatch,
} from './sqs-consumer/once-each-consumer-batch.ts';
export type { SqsConsumerAttempt, SqsConsumerHandler, SqsConsumerOptions } from './sqs-consumer/options.ts';
