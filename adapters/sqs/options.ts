import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import {
  callback,
  canRunInTransaction,
  eventHook,
  handleOnceOption,
  inTransactionOption,
  MAX_VISIBILITY_SECONDS,
  NO_TRANSACTIONS,
  NOT_AN_OBJECT,
  type OnFailed,
  standardSchema,
  wholeNumber,
  withMethods,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce, Attempt } from '../../src/index.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { SqsClient } from './queue.ts';

/** An attempt at an SQS message. */
export interface SqsAttempt extends Attempt {
  /** The message as it was received, with its attributes. */
  readonly message: SqsMessage;
}

/** What a handler gets: the schema's output, or else what `parse` returns. */
export type SqsPayload<Schema, Parsed> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Awaited<Parsed>;

/** `Extra` is the transaction, with the option `inTransaction`. */
export type SqsHandler<Schema, Parsed, Result, Extra extends readonly unknown[] = []> = (
  payload: SqsPayload<Schema, Parsed>,
  attempt: SqsAttempt,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** A handler, whatever its payload is. */
export type AnyHandler = (payload: never, attempt: SqsAttempt, ...extra: never[]) => unknown;

/** What `createSqsWorker` and `wrapSqsHandler` have in common. */
export interface SqsOptions<Schema extends StandardSchemaV1 | undefined, Parsed> {
  /** An `SQSClient` of `@aws-sdk/client-sqs`. */
  readonly client: SqsClient;
  readonly queueUrl: string;
  /** Made by `createHandleOnce`. */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: false;
  /** Any Standard Schema: the handler gets its output; a body that does not fit fails for good. */
  readonly schema?: Schema;
  /** Turns the body into a value. What it throws fails the message for good. Default `JSON.parse`. */
  readonly parse?: (body: string) => Parsed;
  /**
   * The identity of a message. Default its `MessageId`, which survives redeliveries; a business key, such as a
   * webhook's delivery id, also dedupes what a producer sent twice or an operator redrove. The same key must come with
   * the same body, byte for byte, or it is a mismatch. A message without a key is refused as one with an invalid key.
   */
  readonly key?: (message: SqsMessage) => string | undefined;
  /** What to do with a message that failed for good, or whose payload mismatches its record. Default `'delete'`. */
  readonly onFailed?: OnFailed;
  /**
   * Seconds that a message in hand stays invisible between heartbeats: above the lease. A loop of your own must ask
   * for the same in its receives. Default: the queue's own, or twice the lease where that is not above the lease.
   */
  readonly visibilityTimeoutSeconds?: number;
  /** Called with each event as it happens, and not waited for. What it throws becomes a process warning. */
  readonly onEvent?: (event: SqsEvent) => unknown;
}

/** A dead letter in its own queue would be handled, fail and be sent again, for ever. */
const SAME_QUEUE = {
  path: ['onFailed', 'deadLetterQueueUrl'],
  error: 'must be another queue than queueUrl, or the dead letter would be handled again',
};

const queueUrl = (what: string) => z.url({ error: `must be the URL of ${what}` });

const onFailed = z.union(
  [z.enum(['delete', 'leave']), z.strictObject({ deadLetterQueueUrl: queueUrl('the dead-letter queue') })],
  { error: `must be 'delete', 'leave' or { deadLetterQueueUrl }` },
);

function messageIdOf(message: SqsMessage): string | undefined {
  return message.MessageId;
}

const fields = {
  client: withMethods<SqsClient>(['send'], 'an SQSClient of @aws-sdk/client-sqs'),
  queueUrl: queueUrl('the queue'),
  handleOnce: handleOnceOption(),
  inTransaction: inTransactionOption(),
  schema: standardSchema().optional(),
  parse: callback<(body: string) => unknown>('a function of the body').default(() => JSON.parse),
  key: callback<(message: SqsMessage) => string | undefined>('a function of the message').default(
    () => messageIdOf,
  ),
  onFailed: onFailed.default('delete'),
  visibilityTimeoutSeconds: wholeNumber('seconds', 1, MAX_VISIBILITY_SECONDS).optional(),
  onEvent: eventHook<SqsEvent>(),
};

export const sqsOptions = z
  .strictObject(fields, NOT_AN_OBJECT)
  .refine(hasOtherDeadLetterQueue, SAME_QUEUE)
  .refine(canRunInTransaction, NO_TRANSACTIONS);

export const sqsWorkerOptions = z
  .strictObject(
    {
      ...fields,
      handler: callback<AnyHandler>('a function of (payload, attempt)'),
      concurrency: wholeNumber('handlers', 1, 1_000).default(10),
      waitTimeSeconds: wholeNumber('seconds', 0, 20).default(20),
    },
    NOT_AN_OBJECT,
  )
  .refine(hasOtherDeadLetterQueue, SAME_QUEUE)
  .refine(canRunInTransaction, NO_TRANSACTIONS);

function hasOtherDeadLetterQueue(options: { queueUrl: string; onFailed: OnFailed }): boolean {
  return typeof options.onFailed === 'string' || options.onFailed.deadLetterQueueUrl !== options.queueUrl;
}
