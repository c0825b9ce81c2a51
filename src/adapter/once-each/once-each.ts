import type { StandardSchemaV1 } from '@standard-schema/spec';
import { createAdapterEvents } from '../adapter-events.ts';
import { messageOptions } from '../message-options.ts';
import { resolveOptions } from '../resolve-options.ts';
import { kernelOf } from '../kernel.ts';
import { createTrial } from '../trial.ts';
import type { Clock } from '../../lib/clock.ts';
import { clockOf } from '../../engine/hidden-handles.ts';
import type { AnyBatchHandler } from '../../engine/batch/call-batch.ts';
import { Batch } from '../../engine/batch/batch.ts';
import type { BatchChecked, HandlerFor, OptionsChecked, ResultFor, TransactionOf } from '../handler-types.ts';
import type { AnyHandleOnce } from '../../api/handle-once.ts';
import type { Counts } from '../../reporting/event-sink.ts';
import type { GatheredBatchOptions } from '../../options/batch-options.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { createBroker } from './broker.ts';
import { handleMessage, type HandledMessage, type MessageOptions } from './handle-message.ts';
import type { OnceEachEvent } from './events.ts';
import {
  type OnceEachHandler,
  type OnceEachOptions,
  onceEachOptions,
  type OnceEachPayload,
} from './options.ts';
import { createSeating, type GatherOptions } from './seating.ts';

const SUBJECT = 'onceEach';

/** Handles one message of a broker. */
export interface OnceEach<Message, Result> {
  /**
   * Handles one message, and applies the outcome at the broker. It resolves also when the handler threw, and throws
   * only `InvalidOptionsError` on wrong options.
   */
  (message: Message, options?: MessageOptions): Promise<HandledMessage<Result>>;
  /** How often each type of event happened. */
  counts(): Counts<OnceEachEvent['type']>;
}

/**
 * An adapter for a broker that this package does not know: you pass the calls of its client, and get a function that
 * handles each message once.
 *
 * A message is acknowledged only when its record is durable, and a duplicate is answered from the record. It cannot
 * limit how many messages are handled at once, or keep an order: your receive loop must do that.
 *
 * Unstable: it may change in a minor version until it has served several brokers.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const handleMessage = onceEach(
 *   {
 *     handleOnce,
 *     key: (message: QueueMessage) => message.id,
 *     body: (message) => message.body,
 *     acknowledge: (message) => message.ack(),
 *     retryLater: (message, delayMs) => message.nack(delayMs),
 *     schema: orderSchema,
 *     onFailed: 'keep',
 *   },
 *   async (order, attempt) => {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   },
 * );
 * ```
 *
 * @example
 * ```ts
 * // Many messages in one run of the handler. Each caller gets the answer of its own message.
 * const handleMessage = onceEach(
 *   {
 *     handleOnce,
 *     key: (message: QueueMessage) => message.id,
 *     body: (message) => message.body,
 *     acknowledge: (message) => message.ack(),
 *     retryLater: (message, delayMs) => message.nack(delayMs),
 *     schema: orderSchema,
 *     batch: { size: 100, waitMs: 20 },
 *     onFailed: 'keep',
 *   },
 *   async (orders, attempts) => {
 *     const sent = await Promise.allSettled(orders.map((order) => ship(order)));
 *     sent.forEach((each, n) => each.status === 'rejected' && attempts[n]?.fail(each.reason));
 *   },
 * );
 * ```
 */
export function onceEach<
  Message,
  Result,
  Body = unknown,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends GatheredBatchOptions | undefined = undefined,
>(
  options: OnceEachOptions<Message, Body, Schema, Parsed, InTransaction, Batched> &
    BatchChecked<Batched> &
    OptionsChecked<Schema, Parsed, Once, InTransaction>,
  handler: HandlerFor<
    Batched,
    OnceEachHandler<
      OnceEachPayload<Schema, Parsed, Once>,
      Message,
      TransactionOf<Once, InTransaction>,
      Result
    >
  >,
): OnceEach<Message, ResultFor<Batched, Result>> {
  const resolved = resolveOptions(SUBJECT, onceEachOptions(), options, handler);
  const events = createAdapterEvents(resolved);
  const trial = createTrial();
  const clock = clockOf(resolved.handleOnce);
  const { batch } = resolved;
  const adapter = {
    ...resolved,
    ...(batch && batched(resolved.handler as never, batch, clock)),
    clock,
    key: trial.wrap('key', resolved.key),
    body: trial.wrap('body', resolved.body),
    ...trial.fingerprint(resolved),
    events,
    kernel: kernelOf({ ...resolved, subject: SUBJECT }),
    broker: createBroker(resolved, events, clock),
  };

  async function handle(message: never, given: MessageOptions = {}): Promise<HandledMessage<unknown>> {
    return await handleMessage(adapter, message, parseOptions(SUBJECT, messageOptions(), given));
  }

  return Object.assign(handle, { counts: events.counts }) as OnceEach<Message, ResultFor<Batched, Result>>;
}

/** Messages take seats, and those that are tried again run alone. */
function batched(handler: AnyBatchHandler, batch: GatherOptions, clock: Clock) {
  return { handler: new Batch(handler).take().handler, takeSeat: createSeating(handler, batch, clock) };
}
