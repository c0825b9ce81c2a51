import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  consumerOf,
  type Counts,
  type Delivery,
  createAdapterEvents,
  createTrial,
  fingerprintOnTrial,
  fingerprintOptionsFor,
  lanesBy,
  parseOptions,
  type PayloadChecked,
  withOwnRetries,
  withHandler,
  type WithoutTransaction,
} from '../../src/adapter-kit.ts';
import type { MessageSource, Transactional } from '../../src/index.ts';
import { originalOf, withOriginals } from '../shared/sqs/copy-identity.ts';
import { queueSource } from '../shared/sqs/message-source.ts';
import { sendRecord } from './dead-letter.ts';
import type { LambdaContext } from './deadline.ts';
import { createInvoke } from './invoke.ts';
import type { LambdaPayload } from './options.ts';
import { processRecord } from './process-record.ts';
import {
  copyForm,
  messageGroup,
  type LambdaSqsEvent,
  sqsInvocation,
  type SqsRecord,
  type SqsResponse,
} from './sqs-event.ts';
import {
  type AnySqsRecordHandler,
  type DeadLetterQueue,
  type OnceEachSqsRecordOptions,
  type SqsRecordEvent,
  type SqsRecordHandler,
  sqsRecordOptions,
} from './sqs-options.ts';

const SUBJECT = 'onceEachSqsRecord';

/** A Lambda handler for an SQS event source. */
export interface OnceEachSqsRecord {
  (event: LambdaSqsEvent, context: LambdaContext): Promise<SqsResponse>;
  /** How often each type of event happened in this execution environment. */
  counts(): Counts<SqsRecordEvent['type']>;
}

/**
 * A Lambda handler for an SQS queue, whose messages are each handled once.
 *
 * Its event source mapping must have `ReportBatchItemFailures` among its function response types: without it Lambda
 * ignores the answer, and deletes messages that are not acknowledged. Records of a FIFO queue run in the order of their
 * groups; when one is reported, those behind it are too, and do not run. By default that holds for one that failed for
 * good as well, until the queue's redrive policy moves it.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * export const handler = onceEachSqsRecord({ handleOnce, schema: orderSchema }, async (order, attempt) => {
 *   await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * });
 * ```
 */
export function onceEachSqsRecord<
  Result,
  Tx,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Inherited = unknown,
>(
  options: Transactional<OnceEachSqsRecordOptions<Schema, Parsed>, Tx> &
    PayloadChecked<Schema, Parsed, Inherited>,
  handler: SqsRecordHandler<LambdaPayload<Schema, Parsed, Inherited>, [transaction: Tx], Result>,
): OnceEachSqsRecord;
export function onceEachSqsRecord<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Inherited = unknown,
>(
  options: OnceEachSqsRecordOptions<Schema, Parsed> & PayloadChecked<Schema, Parsed, Inherited>,
  handler: SqsRecordHandler<LambdaPayload<Schema, Parsed, Inherited>, WithoutTransaction, Result>,
): OnceEachSqsRecord;
export function onceEachSqsRecord(options: object, handler: AnySqsRecordHandler): OnceEachSqsRecord {
  const resolved = withOwnRetries(parseOptions(SUBJECT, sqsRecordOptions(), withHandler(options, handler)));
  const { parse, onFailed, handleOnce } = resolved;
  const { scope } = handleOnce.settings;
  const trial = createTrial();
  const key = withOriginals(trial.wrap('key', resolved.key), scope, copyForm);
  const compared = fingerprintOnTrial(trial, resolved);
  const consumer = consumerOf(resolved);
  const events = createAdapterEvents(resolved);
  const invoke = createInvoke(resolved, events);

  function identityOf(record: SqsRecord): Pick<Delivery<unknown>, 'key' | 'content' | 'fingerprint'> {
    return {
      key: () => key(record),
      content: () => record.body,
      fingerprint: fingerprintOptionsFor(compared, originalOf(record, scope, copyForm)),
    };
  }

  async function onceEach(event: LambdaSqsEvent, context: LambdaContext): Promise<SqsResponse> {
    parseOptions(SUBJECT, sqsInvocation(), { event, context });
    trial.look(event.Records, identityOf);
    const batchItemFailures = await invoke(context, lanesBy(event.Records, messageGroup), {
      idOf: ({ messageId }) => messageId,
      process: (record, signal, turn) =>
        processRecord(
          consumer,
          {
            itemIdentifier: record.messageId,
            ...identityOf(record),
            parse: () => parse(record.body),
            handler: (payload, attempt, ...extra) =>
              resolved.handler(payload as never, Object.assign(attempt, { record }), ...(extra as never[])),
            signal,
            source: () => sourceOf(record),
            onFailed: failedChoice(record, onFailed),
          },
          events,
          turn,
        ),
    });
    return { batchItemFailures };
  }

  return Object.assign(onceEach, { counts: events.counts });
}

function sourceOf(record: SqsRecord): MessageSource {
  const { eventSourceARN, messageId, attributes } = record;
  // Not checked before: an event that a test makes can lack them.
  const { messageAttributes } = record as Partial<SqsRecord>;
  return queueSource({
    queue: eventSourceARN,
    messageId,
    attribute: (name) => messageAttributes?.[name]?.stringValue,
    traceHeader: attributes.AWSTraceHeader,
  });
}

function failedChoice(
  record: SqsRecord,
  onFailed: 'acknowledge' | 'keep' | DeadLetterQueue,
): Delivery<unknown>['onFailed'] {
  if (typeof onFailed === 'string') return onFailed;
  const { deadLetterQueueUrl, client } = onFailed;
  return {
    to: deadLetterQueueUrl,
    async send(facts) {
      return { droppedAttributes: await sendRecord(record, facts, deadLetterQueueUrl, client) };
    },
  };
}
