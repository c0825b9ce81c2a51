import type { ParsedPayload } from '../handler-types.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily } from '../../lib/lazily.ts';
import { checkConsumerOptions, consumerFields } from '../consumer-options.ts';
import type { Attempt } from '../../words/attempt.ts';
import type { AnyHandleOnce } from '../../api/handle-once.ts';
import type { MessageSource } from '../../words/around.ts';
import { type FingerprintOptions, fingerprintFields } from '../../options/fingerprint-options.ts';
import { handlerOption } from '../../options/handler-option.ts';
import { gatheredBatchOption, type GatheredBatchOptions } from '../../options/batch-options.ts';
import type { AttemptFor } from '../../words/steps.ts';
import { callback, chosen, NOT_AN_OBJECT, wholeNumber } from '../../options/parse-options.ts';
import type { Logger } from '../../reporting/logger.ts';
import type { RetryOptions } from '../../options/retries.ts';
import type { DeadLetterFacts } from '../dead-letter.ts';
import type { OnceEachEvent } from './events.ts';

/** An attempt at a message. */
export interface OnceEachAttempt<Message> extends Attempt {
  /** The message as it was delivered. */
  readonly message: Message;
}

/** `Extra` is the transaction, with the option `inTransaction`: `OnceEachHandler<Order, QueueMessage, [tx: Tx]>`. */
export type OnceEachHandler<
  Payload,
  Message = unknown,
  Extra extends readonly unknown[] = [],
  Result = unknown,
> = (
  payload: Payload,
  attempt: AttemptFor<Extra, OnceEachAttempt<Message>>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** What a handler gets: the output of the schema, here or of `handleOnce`, or else what `parse` returns. */
export type OnceEachPayload<Schema, Parsed, Once = unknown> = ParsedPayload<Schema, Parsed, Once>;

/** Where a copy of a message goes that failed permanently. */
export interface DeadLetterDestination<Message> {
  /** Its name in events. */
  readonly to: string;
  /** Sends the copy. Resolves when it is safe: only then is the message acknowledged. */
  readonly send: (message: Message, facts: DeadLetterFacts) => unknown;
}

/** How messages of a broker are read, acknowledged and kept. If a call of the broker throws, the message is kept. */
export interface OnceEachOptions<
  Message,
  Body,
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
  Batched extends GatheredBatchOptions | undefined = undefined,
>
  extends RetryOptions, FingerprintOptions<Body, [message: Message]> {
  /** Made by `createHandleOnce`. Give each kind of consumer its own scope. */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
  /**
   * The identity of a message: the same at each delivery, and different from that of every other message. A message for
   * which it throws or returns undefined is refused. If it throws before it has ever worked, the message is kept: then
   * the function is at fault.
   */
  readonly key: (message: Message) => string | undefined;
  /**
   * The content of a message: text, bytes or a plain value, read once for each delivery. The same key must come with
   * the same content, so neither `parse` nor the handler may change the message. A message for which it throws is
   * refused, like one without a key. The message is kept if it returns undefined, a function or a promise, or throws
   * before it has ever worked: then the function is at fault.
   */
  readonly body: (message: Message) => Body;
  /** Any Standard Schema: the handler gets its output; a body that does not fit fails permanently. */
  readonly schema?: Schema | undefined;
  /**
   * Turns the body into a value. What it throws fails the message permanently; a `RetryableError` releases it. Default:
   * the JSON of text or bytes.
   */
  readonly parse?: ((body: Body) => Parsed) | undefined;
  /**
   * Tells the broker that the message is done. Called when its record is durable, and never before. A call of the
   * broker fails by a throw, a rejection, or no answer within 15 seconds; only the result of `extend` is used.
   */
  readonly acknowledge: (message: Message) => unknown;
  /**
   * Makes the broker deliver the message again after about this many milliseconds. Without it the message waits in this
   * process, is tried again here, and is kept when `patienceMs` has passed.
   */
  readonly retryLater?: ((message: Message, delayMs: number) => unknown) | undefined;
  /** Milliseconds that a message may wait in this process. Only without `retryLater`. Default 300,000. */
  readonly patienceMs?: number | undefined;
  /**
   * Milliseconds until the broker delivers again what is neither acknowledged nor extended. When that time is nearly
   * over, no further call is made for the message: another worker may have it.
   */
  readonly ackWaitMs?: number | undefined;
  /**
   * Asks the broker for another `ackWaitMs`, three times in each, from the delivery to its end. False means that the
   * message is lost: no further call is made for it.
   */
  readonly extend?: ((message: Message) => unknown) | undefined;
  /**
   * Runs the handler once for many messages, at most `size`, 2 to 500: it is a `BatchHandler` then. A message waits for
   * up to `waitMs` milliseconds, 0 to 60,000, for others that the function is called with. Default of `waitMs`: 10. A
   * message that has been tried before runs alone.
   */
  readonly batch?: Batched | undefined;
  /**
   * What to do with a message that failed permanently; there is no default. `'acknowledge'` acknowledges it: only its
   * record and its event show the failure. `'keep'` leaves it to the broker's own limit of deliveries. `{ to, send }`
   * sends a copy and then acknowledges it. It does so too for a message whose content differs from its record's, or
   * whose key is invalid.
   */
  readonly onFailed: 'acknowledge' | 'keep' | DeadLetterDestination<Message>;
  /**
   * Where a message came from, for spans: `openTelemetry` of `handle-once/otel` takes their names from it, and links
   * them to the spans of the producer. Default: spans are named by the scope.
   */
  readonly source?: ((message: Message) => MessageSource) | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: OnceEachEvent) => unknown) | undefined;
  /** Gets operational problems, as the `logger` of `createHandleOnce` does. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

const message = 'a function of the message';
const DAY_MS = 86_400_000;

const DESTINATION = 'must be the name of where dead letters go';

const onFailed = lazily(() =>
  chosen(
    [
      z.enum(['acknowledge', 'keep']),
      z.strictObject({
        to: z.string({ error: DESTINATION }).check(z.minLength(1, { error: DESTINATION })),
        send: callback<DeadLetterDestination<never>['send']>('a function of (message, facts)'),
      }),
    ],
    "must be chosen: 'acknowledge', 'keep' or { to, send }",
  ),
);

export const onceEachOptions = lazily(() =>
  z
    .strictObject(
      {
        ...consumerFields<OnceEachEvent>(),
        ...fingerprintFields<unknown, [message: never]>(),
        key: callback<(message: never) => string | undefined>(message),
        body: callback<(message: never) => unknown>(message),
        parse: z.optional(callback<(body: never) => unknown>('a function of the body')),
        acknowledge: callback<(message: never) => unknown>(message),
        retryLater: z.optional(
          callback<(message: never, delayMs: number) => unknown>('a function of (message, delayMs)'),
        ),
        patienceMs: z.optional(wholeNumber('milliseconds', 0, DAY_MS)),
        ackWaitMs: z.optional(wholeNumber('milliseconds', 100, DAY_MS)),
        extend: z.optional(callback<(message: never) => unknown>(message)),
        batch: gatheredBatchOption(),
        onFailed: onFailed(),
        source: z.optional(callback<(message: never) => MessageSource>(message)),
        handler: handlerOption<OnceEachHandler<never, never, never[]>>('payload, attempt'),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.refine(({ extend, ackWaitMs }) => extend === undefined || ackWaitMs !== undefined, {
        path: ['ackWaitMs'],
        error: 'is missing, but extend needs it: the milliseconds after which the broker delivers again',
      }),
      z.refine(
        ({ batch, ackWaitMs, extend }) =>
          batch === undefined || ackWaitMs === undefined || extend !== undefined || batch.waitMs < ackWaitMs,
        {
          path: ['batch', 'waitMs'],
          error:
            'must be less than ackWaitMs, or extend must be given: a message that waits longer lapses before it runs',
        },
      ),
      z.refine(({ retryLater, patienceMs }) => retryLater === undefined || patienceMs === undefined, {
        path: ['patienceMs'],
        error: 'must not be given together with retryLater: messages do not wait here',
      }),
      z.superRefine(checkConsumerOptions),
    ),
);
