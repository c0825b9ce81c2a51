import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type BatchChecked,
  type BatchOptions,
  type HandlerFor,
  kernelOf,
  createAdapterEvents,
  parseOptions,
  type TransactionOf,
  type OptionsChecked,
  resolveOptions,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce, Counts } from '../../src/index.ts';
import { createQueueDelivery } from '../shared/sqs/queue-delivery.ts';
import { isFifoQueue } from '../shared/sqs/queue-settings.ts';
import { type DeadLetterQueue, sendRecord } from './dead-letter.ts';
import type { LambdaContext } from './deadline.ts';
import { createInvoke } from './invoke.ts';
import type { LambdaPayload } from './options.ts';
import {
  messageGroup,
  type LambdaSqsEvent,
  recordForm,
  recordsOf,
  sqsInvocation,
  type SqsRecord,
  type SqsResponse,
} from './sqs-event.ts';
import {
  type OnceEachSqsRecordOptions,
  type SqsRecordEvent,
  type SqsRecordHandler,
  sqsRecordOptions,
} from './sqs-options.ts';
import { lanesBy } from '../shared/lanes.ts';

const SUBJECT = 'onceEachSqsRecord';

/** A Lambda handler for an SQS event source. */
export interface OnceEachSqsRecord {
  (event: LambdaSqsEvent, context: LambdaContext): Promise<SqsResponse>;
  /** How often each type of event happened in this execution environment. */
  counts(): Counts<SqsRecordEvent['type']>;
}

/**
 * A Lambda handler for an SQS queue, whose messages are each handled once. With `batch` its handler runs once for many.
 *
 * Its event source mapping must have `ReportBatchItemFailures` among its function response types: without it Lambda
 * ignores the answer, and deletes messages that are not acknowledged. Records of a FIFO queue run in the order of their
 * groups; when one is reported, the later ones are reported too and do not run, unless their own record already answers
 * them. By default a record that failed permanently is reported too, until the queue's redrive policy moves it.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * export const handler = onceEachSqsRecord({ handleOnce, schema: orderSchema }, async (order, attempt) => {
 *   await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * });
 * ```
 *
 * @example
 * ```ts
 * export const handler = onceEachSqsRecord(
 *   { handleOnce, schema: orderSchema, inTransaction: true, batch: { size: 100 } },
 *   async (orders, _attempts, tx) => {
 *     await tx`update orders set paid = true where id in ${tx(orders.map(({ orderId }) => orderId))}`;
 *   },
 * );
 * ```
 */
export function onceEachSqsRecord<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>(
  options: OnceEachSqsRecordOptions<Schema, Parsed, InTransaction, Batched> &
    BatchChecked<Batched> &
    OptionsChecked<Schema, Parsed, Once, InTransaction>,
  handler: HandlerFor<
    Batched,
    SqsRecordHandler<LambdaPayload<Schema, Parsed, Once>, TransactionOf<Once, InTransaction>>
  >,
): OnceEachSqsRecord {
  const resolved = resolveOptions(SUBJECT, sqsRecordOptions(), options, handler);
  const events = createAdapterEvents(resolved);
  const invoke = createInvoke(resolved, events);
  const delivery = createQueueDelivery<SqsRecord, unknown, DeadLetterQueue>({
    ...resolved,
    kernel: kernelOf({ ...resolved, subject: SUBJECT }),
    form: recordForm,
    sendDeadLetter: sendRecord,
    emit(event, { messageId }) {
      events.emit({ ...event, itemIdentifier: messageId });
    },
    fifoQueueOf: ({ eventSourceARN: arn }) => (isFifoQueue(arn) ? arn : undefined),
    warnings: events,
  });

  async function onceEach(event: LambdaSqsEvent, context: LambdaContext): Promise<SqsResponse> {
    parseOptions(SUBJECT, sqsInvocation(), { event, context });
    const records = recordsOf(event);
    delivery.look(records);
    const batchItemFailures = await invoke(context, lanesBy(records, messageGroup), {
      idOf: ({ messageId }) => messageId,
      mixesLanes: true,
      process: (record, context) => delivery.deliver(record, context),
    });
    return { batchItemFailures };
  }

  return Object.assign(onceEach, { counts: events.counts });
}
