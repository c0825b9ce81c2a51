import {
  type AttemptFor,
  type BatchOptions,
  type FingerprintOptions,
  callback,
  lazily,
  consumerFields,
  fingerprintFields,
  type HandlerFor,
  type OptionsChecked,
  type TransactionOf,
} from '../../../src/adapter-kit.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { AnyHandleOnce, Attempt, RetryOptions } from '../../../src/index.ts';
import { queueUrlOption } from './queue-url.ts';

/** What to do with a message that has failed permanently. */
export type SqsOnFailed =
  | 'acknowledge'
  | 'keep'
  | {
      /** Not the queue that is consumed. */
      readonly deadLetterQueueUrl: string;
    };

/** An attempt at a message of a queue. */
export interface QueueAttempt<Message> extends Attempt {
  /** The message as it was received, with its attributes. */
  readonly message: Message;
}

/** `Extra` is the transaction, with the option `inTransaction`. */
export type QueueHandler<Message, Payload, Extra extends readonly unknown[], Result> = (
  payload: Payload,
  attempt: AttemptFor<Extra, QueueAttempt<Message>>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** The handler that the options `batch` and `inTransaction` ask for. */
export type QueueHandlerFor<Batch, Message, Payload, Once, InTransaction> = HandlerFor<
  Batch,
  QueueHandler<Message, Payload, TransactionOf<Once, InTransaction>, unknown>
>;

/**
 * Checks options for a handler of this kind. Without `parse` the compiler infers `Parsed` from the handler, as if it
 * handled one message.
 */
export type QueueOptionsChecked<Batch, Schema, Parsed, Once, InTransaction> = OptionsChecked<
  Schema,
  [Batch, Parsed] extends [BatchOptions, readonly (infer Element)[]] ? Element : Parsed,
  Once,
  InTransaction
>;

/** A handler, whatever its payload is. */
export type AnyQueueHandler<Message, Result = unknown> = (
  payload: never,
  attempt: QueueAttempt<Message>,
  ...extra: never[]
) => Result | PromiseLike<Result>;

/** How the messages of a queue are handled, by a worker or by a loop. */
export interface QueueOptions<
  Message,
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
>
  extends RetryOptions, FingerprintOptions<string, [message: Message]> {
  /** Made by `createHandleOnce`. */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
  /** Any Standard Schema: the handler gets its output; a body that does not fit fails permanently. */
  readonly schema?: Schema | undefined;
  /**
   * Turns the body into a value. What it throws fails the message permanently; a `RetryableError` releases it. Default
   * `JSON.parse`.
   */
  readonly parse?: ((body: string) => Parsed) | undefined;
  /**
   * The identity of a message. Default its `MessageId`, which survives redeliveries; a business key, such as a
   * webhook's delivery id, also dedupes messages that a producer sent twice or an operator redrove. The same key must
   * come with the same body, byte for byte, or it is a mismatch, unless `fingerprint` or `ignoredFields` say what may
   * differ. A message without a key is refused, like one with an invalid key. If the function throws, the message is
   * refused too, once the function has worked for another message; until then the function is at fault, and the message
   * is kept.
   */
  readonly key?: ((message: Message) => string | undefined) | undefined;
  /**
   * What to do with a message that failed permanently. Default `'keep'`: it stays, and the queue's own redrive policy
   * moves it to the dead-letter queue of that policy. `'acknowledge'` deletes it: its error is on record, its body is
   * lost. `{ deadLetterQueueUrl }` sends a copy to a queue of your choice and then deletes it; it does so too for a
   * message whose payload mismatches its record or whose key is invalid.
   */
  readonly onFailed?: SqsOnFailed | undefined;
}

/** A dead letter in its own queue would be handled, fail and be sent again, without end. */
export const SAME_QUEUE = {
  path: ['onFailed', 'deadLetterQueueUrl'],
  error: 'must be another queue than queueUrl, or the dead letter would be handled again',
};

export function isOtherQueue(onFailed: SqsOnFailed | undefined, queueUrl: string): boolean {
  if (typeof onFailed !== 'object') return true;
  const { deadLetterQueueUrl } = onFailed;
  // Either may be wrong by itself, which is said of it.
  if (typeof deadLetterQueueUrl !== 'string' || typeof queueUrl !== 'string') return true;
  return queueOf(deadLetterQueueUrl) !== queueOf(queueUrl);
}

/** Account and name: one queue has several host names, and a client reaches those of one region. */
function queueOf(url: string): string {
  return url.split('/').filter(Boolean).slice(-2).join('/');
}

const onFailed = lazily(() =>
  z.union(
    [
      z.enum(['acknowledge', 'keep']),
      z.strictObject({ deadLetterQueueUrl: queueUrlOption('the dead-letter queue') }),
    ],
    { error: `must be 'acknowledge', 'keep' or { deadLetterQueueUrl }` },
  ),
);

/** The fields of `QueueOptions` without the functions of a message. */
export function queueFields<Event>() {
  return {
    ...consumerFields<Event>(),
    parse: z._default(callback<(body: string) => unknown>('a function of the body'), () => JSON.parse),
    onFailed: z.optional(onFailed()),
  };
}

/** The fields of `QueueOptions` that get a message. */
export function messageFields<Message extends { readonly MessageId?: string | undefined }>() {
  const key = callback<(message: Message) => string | undefined>('a function of the message');
  return { key: z._default(key, () => messageIdOf), ...fingerprintFields<string, [message: Message]>() };
}

function messageIdOf(message: { readonly MessageId?: string | undefined }): string | undefined {
  return message.MessageId;
}
