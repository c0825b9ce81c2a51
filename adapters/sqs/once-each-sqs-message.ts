import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  kernelOf,
  createAdapterEvents,
  clockOf,
  messageOptions,
  parseOptions,
  type TransactionOf,
  type OptionsChecked,
  resolveOptions,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import { createQueue } from '../shared/sqs/queue.ts';
import { createMessageDelivery } from '../shared/sqs/queue-delivery.ts';
import type { AnyQueueHandler } from '../shared/sqs/queue-options.ts';
import { type SqsMessage, toReceivedMessage } from './message.ts';
import { type SqsHandler, type SqsOptions, sqsOptions, type SqsPayload } from './options.ts';
import { type HandledMessage, processDelivery } from './process-delivery.ts';
import { checkAtStart, checkLease } from './queue-check.ts';
import { createVisibilityKeeper, type VisibilityKeeper } from './visibility.ts';

const SUBJECT = 'onceEachSqsMessage';

/** What the loop knows about a message. */
export interface HandleMessageOptions {
  /** Aborts `attempt.signal`; a message that has not started is kept, visible at once. */
  readonly signal?: AbortSignal | undefined;
  /** `Date.now()` of when the receive returned, for a loop that lets messages wait. Default: now. */
  readonly receivedAt?: number | undefined;
}

/**
 * Handles one message. It rejects only with `InvalidOptionsError`: for the queue, or for a value that is not a message.
 */
export type HandleMessage<R> = (
  message: SqsMessage,
  options?: HandleMessageOptions,
) => Promise<HandledMessage<R>>;

/**
 * Wraps a handler for a receive loop that you already have: give it a message, and it is run once, hidden meanwhile,
 * and then deleted, kept or dead-lettered. Your loop must not delete messages itself. On a FIFO queue, if a message was
 * kept, it must not run the later messages of the same group: leave or return them to the queue.
 *
 * The function it returns resolves with what was done, also when the handler threw. With the first message it reads the
 * queue's attributes, and throws `InvalidOptionsError` when there is no such queue or dead-letter queue, when it is a
 * FIFO queue without a redrive policy and `onFailed` is not given, and when no visibility timeout is given or readable.
 *
 * @example
 * ```ts
 * const options = { client, queueUrl, handleOnce, schema: orderSchema };
 * const handleMessage = onceEachSqsMessage(options, async (order, attempt) => {
 *   await charge(order, { idempotencyKey: attempt.childKey('charge') });
 * });
 * const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
 * for (const message of Messages) await handleMessage(message);
 * ```
 */
export function onceEachSqsMessage<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
>(
  options: SqsOptions<Schema, Parsed, InTransaction> & OptionsChecked<Schema, Parsed, Once, InTransaction>,
  handler: SqsHandler<SqsPayload<Schema, Parsed, Once>, TransactionOf<Once, InTransaction>, Result>,
): HandleMessage<Result> {
  const resolved = resolveOptions(SUBJECT, sqsOptions(), options, handler);
  const { handleOnce, visibilityTimeoutSeconds } = resolved;
  checkLease(SUBJECT, handleOnce.settings.leaseMs, visibilityTimeoutSeconds);
  const clock = clockOf(handleOnce);
  const events = createAdapterEvents(resolved);
  const queue = createQueue(resolved.client, resolved.queueUrl, clock);
  const kernel = kernelOf({ ...resolved, subject: SUBJECT });
  const delivery = createMessageDelivery(
    { ...resolved, kernel, handler: resolved.handler as AnyQueueHandler<SqsMessage, Result> },
    resolved.queueUrl,
    queue,
    events,
  );
  const processor = { delivery, queue, events };
  let keeper: Promise<VisibilityKeeper> | undefined;

  async function createKeeper(): Promise<VisibilityKeeper> {
    try {
      const { settings } = handleOnce;
      const given = { visibilityTimeoutSeconds, onFailed: resolved.onFailed, ownsReceives: false };
      const { timeouts } = await checkAtStart({ subject: SUBJECT, queue, settings, events, ...given });
      return createVisibilityKeeper(queue, timeouts, events, clock);
    } catch (error) {
      // The next message looks again: the attributes may have been out of reach for a moment only.
      keeper = undefined;
      throw error;
    }
  }

  return async function handleMessage(message, given = {}) {
    const { signal, receivedAt = clock.wall() } = parseOptions(SUBJECT, messageOptions(), given);
    const received = toReceivedMessage(
      SUBJECT,
      message,
      clock.monotonic() - Math.max(0, clock.wall() - receivedAt),
    );
    keeper ??= createKeeper();
    return await processDelivery(processor, (await keeper).hold(received), { signal });
  };
}
