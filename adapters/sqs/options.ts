import {
  gatheredBatchOption,
  handlerOption,
  lazily,
  NOT_AN_OBJECT,
  type ParsedPayload,
  wholeNumber,
  withMethods,
  checkConsumerOptions,
} from '../../src/adapter-kit.ts';
import type { Logger } from '../../src/index.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { SqsClient } from '../shared/sqs/queue.ts';
import {
  type AnyQueueHandler,
  isOtherQueue,
  type SqsOnFailed,
  type QueueAttempt,
  type QueueHandler,
  type QueueOptions,
  SAME_QUEUE,
  queueFields,
  messageFields,
} from '../shared/sqs/queue-options.ts';
import { queueUrlOption } from '../shared/sqs/queue-url.ts';
import { MAX_VISIBILITY_SECONDS } from '../shared/sqs/visibility-limits.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';

/** An attempt at an SQS message. */
export type SqsAttempt = QueueAttempt<SqsMessage>;

/** What a handler gets: the output of the schema, here or of `handleOnce`, or else what `parse` returns. */
export type SqsPayload<Schema, Parsed, Once = unknown> = ParsedPayload<Schema, Parsed, Once>;

/** `Extra` is the transaction, with the option `inTransaction`: `SqsHandler<Order, [tx: TransactionSql]>`. */
export type SqsHandler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = QueueHandler<
  SqsMessage,
  Payload,
  Extra,
  Result
>;

/** What `createSqsWorker` and `onceEachSqsMessage` have in common. */
export interface SqsOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
> extends QueueOptions<SqsMessage, Schema, Parsed, InTransaction> {
  /** An `SQSClient` of `@aws-sdk/client-sqs`. */
  readonly client: SqsClient;
  /** As `GetQueueUrl` returns it: the URL of the queue, not its name or ARN. */
  readonly queueUrl: string;
  /**
   * Seconds that a received message stays invisible between heartbeats: above the lease. Your own loop must use the
   * same value in its receives. Default: that of the queue, or twice the lease if that of the queue is not above the
   * lease.
   */
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: SqsEvent) => unknown) | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

const fields = lazily(() => ({
  client: withMethods<SqsClient>(['send'], 'an SQSClient of @aws-sdk/client-sqs'),
  queueUrl: queueUrlOption('the queue'),
  ...queueFields<SqsEvent>(),
  ...messageFields<SqsMessage>(),
  visibilityTimeoutSeconds: z.optional(wholeNumber('seconds', 1, MAX_VISIBILITY_SECONDS)),
  handler: handlerOption<AnyQueueHandler<SqsMessage>>('payload, attempt'),
}));

export const drainTime = lazily(() => wholeNumber('milliseconds', 0, 43_200_000));

export const sqsOptions = lazily(() =>
  z
    .strictObject(fields(), NOT_AN_OBJECT)
    .check(z.refine(hasOtherDeadLetterQueue, SAME_QUEUE), z.superRefine(checkConsumerOptions)),
);

export const sqsWorkerOptions = lazily(() =>
  z
    .strictObject(
      {
        ...fields(),
        concurrency: z._default(wholeNumber('handlers', 1, 1_000), 10),
        waitTimeSeconds: z._default(wholeNumber('seconds', 0, 20), 20),
        drainMs: z._default(drainTime(), 20_000),
        batch: gatheredBatchOption(),
      },
      NOT_AN_OBJECT,
    )
    .check(z.refine(hasOtherDeadLetterQueue, SAME_QUEUE), z.superRefine(checkConsumerOptions)),
);

function hasOtherDeadLetterQueue(options: { queueUrl: string; onFailed?: SqsOnFailed | undefined }): boolean {
  return isOtherQueue(options.onFailed, options.queueUrl);
}
