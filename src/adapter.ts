/**
 * For a broker that this package has no adapter for: you give the calls of its client.
 *
 * Unstable: it may change in a minor version until it has served several brokers.
 *
 * @example
 * ```ts
 * import { onceEach } from 'handle-once/adapter';
 *
 * const handleMessage = onceEach(
 *   {
 *     handleOnce,
 *     key: (message: QueueMessage) => message.id,
 *     body: (message) => message.body,
 *     acknowledge: (message) => message.ack(),
 *     schema: orderSchema,
 *     onFailed: 'keep',
 *   },
 *   async (order) => ship(order),
 * );
 * ```
 *
 * @module handle-once/adapter
 */
export type { DeadLetterFacts } from './adapter/dead-letter.ts';
export type { HandledMessage } from './adapter/once-each/handle-message.ts';
export { onceEach, type OnceEach } from './adapter/once-each/once-each.ts';
export type { OnceEachEvent } from './adapter/once-each/events.ts';
export type { OnceEachAttempt, OnceEachHandler, OnceEachOptions } from './adapter/once-each/options.ts';
