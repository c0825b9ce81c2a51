/**
 * AWS Lambda: handlers for SQS and Kafka event sources, whose records are each handled once.
 *
 * @example
 * ```ts
 * import { onceEachSqsRecord } from 'handle-once/lambda';
 *
 * export const handler = onceEachSqsRecord({ handleOnce, schema: orderSchema }, async (order) => ship(order));
 * ```
 *
 * @module handle-once/lambda
 */
export type { KafkaResponse, LambdaKafkaMessage } from './kafka-event.ts';
export type {
  KafkaRecordDelivery,
  KafkaRecordEvent,
  KafkaRecordHandler,
  OnceEachKafkaRecordOptions,
} from './kafka-options.ts';
export { type OnceEachKafkaRecord, onceEachKafkaRecord } from './once-each-kafka-record.ts';
export { type OnceEachSqsRecord, onceEachSqsRecord } from './once-each-sqs-record.ts';
export type { SqsRecord, SqsResponse } from './sqs-event.ts';
export type {
  OnceEachSqsRecordOptions,
  SqsRecordAttempt,
  SqsRecordEvent,
  SqsRecordHandler,
} from './sqs-options.ts';
