/**
 * NestJS: a module that runs SQS workers and Kafka consumers, whose handlers are methods of providers.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import type { Attempt } from 'handle-once';
 * import { OnSqsMessage } from 'handle-once/nestjs';
 *
 * @Injectable()
 * class Billing {
 *   @OnSqsMessage('orders')
 *   async charge(order: Order, attempt: Attempt) {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   }
 * }
 * ```
 *
 * @module handle-once/nestjs
 */
export { HANDLE_ONCE, InjectHandleOnce, OnKafkaMessage, OnSqsMessage } from './decorators.ts';
export { HandleOnceModule } from './module.ts';
export type { HandleOnceModuleOptions } from './options.ts';
