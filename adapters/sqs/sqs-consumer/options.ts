import type { MessageSystemAttributeName } from '@aws-sdk/client-sqs';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import {
  batchOption,
  type BatchOptions,
  callback,
  handlerOption,
  lazily,
  NOT_AN_OBJECT,
  checkConsumerOptions,
} from '../../../src/adapter-kit.ts';
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
} from '../../shared/sqs/queue-options.ts';
import { isAboveLease, isFifoQueue, leaseFault } from '../../shared/sqs/queue-settings.ts';
import type { AnyHandleOnce, Logger } from '../../../src/index.ts';
import type { SqsMessage } from '../message.ts';
import { consumerSettings, type ConsumerSettings } from './consumer-settings.ts';
import type { SqsConsumerEvent } from './events.ts';

/** An attempt at a message that sqs-consumer received. */
export type SqsConsumerAttempt = QueueAttempt<SqsMessage>;

/** `Extra` is the transaction, with the option `inTransaction`: `SqsConsumerHandler<Order, [tx: TransactionSql]>`. */
export type SqsConsumerHandler<
  Payload,
  Extra extends readonly unknown[] = [],
  Result = unknown,
> = QueueHandler<SqsMessage, Payload, Extra, Result>;

/** What `onceEachConsumerMessage` and `onceEachConsumerBatch` take. */
export interface SqsConsumerOptions<
  Given extends ConsumerSettings,
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
  Batch extends BatchOptions | undefined = BatchOptions | undefined,
> extends QueueOptions<SqsMessage, Schema, Parsed, InTransaction> {
  /** What `Consumer.create` takes, without a handler. */
  readonly consumerOptions: Given;
  /**
   * For `onceEachConsumerBatch`: makes the handler a batch handler, which gets up to `size` messages of a receive at
   * once. SQS gives ten a receive, and sqs-consumer asks for `batchSize` of them. Without it a handler gets one.
   *
   * On a FIFO queue a batch has messages of many groups, each group's in order, and batches run one after the other.
   *
   * Refused with a `batchSize` of 1, with `maxDeaths` below 3, and with `maxAttempts: 1` without a transaction.
   */
  readonly batch?: Batch;
  /**
   * Called for each message. When the signal aborts, `attempt.signal` does; if a handler then throws, its message is
   * released and the attempt does not count. For `consumer.stop({ abort: true })`:
   * `() => consumer.abortController.signal`.
   */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: SqsConsumerEvent) => unknown) | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

const fields = lazily(() =>
  z.strictObject(
    {
      consumerOptions: consumerSettings(),
      batch: batchOption(),
      ...queueFields<SqsConsumerEvent>(),
      ...messageFields<SqsMessage>(),
      signal: z.optional(callback<() => AbortSignal>('a function that gives an AbortSignal')),
      handler: handlerOption<AnyQueueHandler<SqsMessage>>('payload, attempt'),
    },
    NOT_AN_OBJECT,
  ),
);

/** Of one message, or of a batch of them. */
export function sqsConsumerOptions(ofBatch: boolean): ReturnType<typeof fields> {
  return fields().check(
    z.refine(({ onFailed, consumerOptions }) => isOtherQueue(onFailed, consumerOptions.queueUrl), SAME_QUEUE),
    z.superRefine(checkConsumerOptions),
    z.refine(({ batch }) => ofBatch || batch === undefined, ONLY_OF_BATCH),
    z.superRefine((options, context) => {
      for (const [field, message] of contradictions(options, ofBatch)) {
        context.addIssue({ code: 'custom', path: ['consumerOptions', field], message });
      }
    }),
  );
}

const ONLY_OF_BATCH = {
  path: ['batch'],
  error: 'is an option of onceEachConsumerBatch, which gets many messages',
};

interface Together {
  readonly consumerOptions: {
    readonly queueUrl: string;
    readonly batchSize?: number | undefined;
    readonly visibilityTimeout?: number | undefined;
    readonly messageAttributeNames?: readonly string[] | undefined;
    readonly messageSystemAttributeNames?: readonly string[] | undefined;
    readonly attributeNames?: readonly string[] | undefined;
  };
  readonly handleOnce: AnyHandleOnce;
  readonly batch?: BatchOptions | undefined;
  readonly onFailed?: SqsOnFailed | undefined;
}

const GROUP: MessageSystemAttributeName = 'MessageGroupId';

/** Settings that are right alone and wrong together. */
function* contradictions(
  { consumerOptions: given, handleOnce, batch, onFailed }: Together,
  ofBatch: boolean,
): Generator<[field: string, message: string]> {
  const { leaseMs } = handleOnce.settings;
  const { queueUrl, batchSize = 1, visibilityTimeout, messageAttributeNames } = given;
  if (visibilityTimeout !== undefined && !isAboveLease(visibilityTimeout, leaseMs)) {
    yield ['visibilityTimeout', leaseFault('visibilityTimeout', visibilityTimeout, leaseMs)];
  }
  if (typeof onFailed === 'object' && messageAttributeNames?.includes('All') === false) {
    yield [
      'messageAttributeNames',
      "must be ['All'] or left out: a dead letter keeps its original's attributes",
    ];
  }
  if (ofBatch && batch !== undefined && batchSize === 1) {
    yield ['batchSize', 'must be above 1 for batches: it is how many messages come at once, 1 by default'];
  }
  // That it is no text is said of it.
  if (typeof queueUrl !== 'string' || !isFifoQueue(queueUrl)) return;
  if (!ofBatch && batchSize > 1) {
    yield [
      'batchSize',
      'must be 1 on a FIFO queue, or its messages would run at the same time; or use onceEachConsumerBatch, which ' +
        'keeps order',
    ];
  }
  const { messageSystemAttributeNames, attributeNames } = given;
  const received = [...(messageSystemAttributeNames ?? []), ...(attributeNames ?? [])];
  const isNarrowed = messageSystemAttributeNames !== undefined || attributeNames !== undefined;
  if (isNarrowed && !received.includes('All') && !received.includes(GROUP)) {
    yield ['messageSystemAttributeNames', `must have '${GROUP}' on a FIFO queue, or be left out`];
  }
}
