import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import {
  type AttemptFor,
  type BatchOptions,
  type FingerprintOptions,
  callback,
  handlerOption,
  NOT_AN_OBJECT,
  lazily,
  withMethods,
  checkConsumerOptions,
  fingerprintFields,
} from '../../src/adapter-kit.ts';
import type { Attempt } from '../../src/index.ts';
import { queueUrlOption } from '../shared/sqs/queue-url.ts';
import type { DeadLetterClient, DeadLetterQueue } from './dead-letter.ts';
import type { LambdaRecordEvent } from './events.ts';
import { type LambdaOptions, lambdaFields } from './options.ts';
import type { SqsRecord } from './sqs-event.ts';

/** An attempt at a record of an SQS event. */
export interface SqsRecordAttempt extends Attempt {
  /** The record as it was delivered, with its attributes. */
  readonly record: SqsRecord;
}

/** `Extra` is the transaction, with the option `inTransaction`: `SqsRecordHandler<Order, [tx: TransactionSql]>`. */
export type SqsRecordHandler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = (
  payload: Payload,
  attempt: AttemptFor<Extra, SqsRecordAttempt>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** A handler, whatever its payload is. */
export type AnySqsRecordHandler = (payload: never, attempt: SqsRecordAttempt, ...extra: never[]) => unknown;

/** What `onEvent` of `onceEachSqsRecord` gets. May grow in a minor version: a `switch` needs a `default`. */
export type SqsRecordEvent = LambdaRecordEvent<string>;

/** Options of `onceEachSqsRecord`. */
export interface OnceEachSqsRecordOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>
  extends LambdaOptions<Schema, InTransaction, Batched>, FingerprintOptions<string, [record: SqsRecord]> {
  /**
   * Turns the body into a value. What it throws fails the record permanently; a `RetryableError` releases it. Default
   * `JSON.parse`.
   */
  readonly parse?: ((body: string) => Parsed) | undefined;
  /**
   * The identity of a record. Default its `messageId`, which survives redeliveries; a business key also dedupes
   * messages that a producer sent twice or an operator redrove. The same key must come with the same body, byte for
   * byte, or it is a mismatch, unless `fingerprint` or `ignoredFields` say what may differ. A record without a key is
   * refused as one with an invalid key. So is one for which the function throws, once it has worked for another in this
   * execution environment; until then the function is at fault, and the record is reported.
   */
  readonly key?: ((record: SqsRecord) => string | undefined) | undefined;
  /**
   * What to do with a record that failed permanently. Default `'keep'`: it is reported each time, until the queue's
   * redrive policy moves it to the dead-letter queue of that policy. On a FIFO queue the later ones of its group are
   * reported too, and wait until it is moved; the policy counts their deliveries as well, and can move them before they
   * have run. `'acknowledge'` does not report it: Lambda deletes it, and only its record and its event show the
   * failure. `{ deadLetterQueueUrl, client }` sends a copy with the error to that queue first, which needs no redrive
   * policy; also of one whose payload mismatches its record or whose key is invalid.
   */
  readonly onFailed?: 'acknowledge' | 'keep' | DeadLetterQueue | undefined;
  /** Called with each event as it happens, and not waited for. What it throws is reported. */
  readonly onEvent?: ((event: SqsRecordEvent) => unknown) | undefined;
}

const onFailed = lazily(() =>
  z.union(
    [
      z.enum(['acknowledge', 'keep']),
      z.strictObject({
        deadLetterQueueUrl: queueUrlOption('the dead-letter queue'),
        client: withMethods<DeadLetterClient>(
          ['sendMessage'],
          'a client with sendMessage, such as new SQS() of @aws-sdk/client-sqs',
        ),
      }),
    ],
    { error: "must be 'acknowledge', 'keep' or { deadLetterQueueUrl, client }" },
  ),
);

export const sqsRecordOptions = lazily(() =>
  z
    .strictObject(
      {
        ...lambdaFields<SqsRecordEvent>(),
        parse: z._default(callback<(body: string) => unknown>('a function of the body'), () => JSON.parse),
        key: z._default(
          callback<(record: SqsRecord) => string | undefined>('a function of the record'),
          () => messageIdOf,
        ),
        ...fingerprintFields<string, [record: SqsRecord]>(),
        onFailed: z._default(onFailed(), 'keep'),
        handler: handlerOption<AnySqsRecordHandler>('payload, attempt'),
      },
      NOT_AN_OBJECT,
    )
    .check(z.superRefine(checkConsumerOptions)),
);

function messageIdOf({ messageId }: SqsRecord): string {
  return messageId;
}
