import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type BatchChecked,
  type BatchOptions,
  type Delivery,
  type HandlerFor,
  kernelOf,
  createAdapterEvents,
  describeThrown,
  type EventSink,
  parseOptions,
  type TransactionOf,
  type Verdict,
  type OptionsChecked,
  resolveOptions,
} from '../../src/adapter-kit.ts';
import { warn } from '../shared/warn.ts';
import { inGroup, identityOf } from '../shared/kafka/log-identity.ts';
import { defaultParse } from '../shared/kafka/log-options.ts';
import { topicSource } from '../shared/kafka/message-source.ts';
import { createToOriginal } from '../shared/kafka/retry-copy.ts';
import type { AnyHandleOnce, Counts } from '../../src/index.ts';
import type { LambdaContext } from './deadline.ts';
import { createInvoke, type RecordContext } from './invoke.ts';
import {
  kafkaInvocation,
  type KafkaItemIdentifier,
  type KafkaRecord,
  type KafkaResponse,
  type LambdaKafkaEvent,
  type LambdaKafkaMessage,
  toMessage,
} from './kafka-event.ts';
import {
  type KafkaRecordEvent,
  type KafkaRecordHandler,
  kafkaRecordOptions,
  type OnceEachKafkaRecordOptions,
} from './kafka-options.ts';
import type { LambdaPayload } from './options.ts';
import { KeptRecordsError } from './kept-records-error.ts';
import { deliverInTurn } from '../shared/deliver-in-turn.ts';
import { isStuck } from '../shared/kafka/is-stuck.ts';

const SUBJECT = 'onceEachKafkaRecord';

/** A Lambda handler for a Kafka event source. */
export interface OnceEachKafkaRecord {
  (event: LambdaKafkaEvent, context: LambdaContext): Promise<KafkaResponse>;
  /** How often each type of event happened in this execution environment. */
  counts(): Counts<KafkaRecordEvent['type']>;
}

/**
 * A Lambda handler for a Kafka event source, Amazon MSK or self-managed, whose records are each handled once.
 *
 * Records of a partition run one after the other; when one cannot be acknowledged, those behind it do not run.
 * Partitions run in parallel. Keys, scope and fingerprints are those of `handle-once/kafka`: a group that moves from a
 * consumer to Lambda, or back, keeps its records. A copy that `redriveTopic` sent counts as its original. With `batch`
 * the handler runs once for many records of a partition, in their order.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * export const handler = onceEachKafkaRecord(
 *   { groupId: 'billing', handleOnce, schema: orderSchema, onFailed: 'keep' },
 *   async ({ payload }, attempt) => {
 *     await charge(payload, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   },
 * );
 * ```
 *
 * @example
 * ```ts
 * export const handler = onceEachKafkaRecord(
 *   {
 *     groupId: 'billing',
 *     handleOnce,
 *     schema: orderSchema,
 *     onFailed: 'keep',
 *     inTransaction: true,
 *     batch: { size: 100 },
 *   },
 *   async (deliveries, _attempts, tx) => {
 *     const ids = deliveries.map(({ payload }) => payload.orderId);
 *     await tx`update orders set paid = true where id in ${tx(ids)}`;
 *   },
 * );
 * ```
 */
export function onceEachKafkaRecord<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = Buffer | null,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>(
  options: OnceEachKafkaRecordOptions<Schema, Parsed, InTransaction, Batched> &
    BatchChecked<Batched> &
    OptionsChecked<Schema, Parsed, Once, InTransaction, Buffer | null>,
  handler: HandlerFor<
    Batched,
    KafkaRecordHandler<LambdaPayload<Schema, Parsed, Once>, TransactionOf<Once, InTransaction>>
  >,
): OnceEachKafkaRecord {
  const resolved = resolveOptions(SUBJECT, kafkaRecordOptions(), options, handler);
  const { schema, parse = defaultParse(schema), onFailed, onKept } = resolved;
  const handleOnce = inGroup(resolved.handleOnce, resolved.groupId);
  const kernel = kernelOf({ ...resolved, subject: SUBJECT, handleOnce });
  const events = createAdapterEvents(resolved);
  const invoke = createInvoke(resolved, events);
  const warnStuck = createWarnStuck(events);
  const toOriginal = createToOriginal<LambdaKafkaMessage>(resolved.groupId, () => false);

  async function process(
    { record, itemIdentifier }: Item,
    { signal, turn }: RecordContext,
  ): Promise<Verdict | 'not-started'> {
    const fetched = placed(record);
    const { topic, partition, message } = toOriginal(fetched);
    const run = turn.seat?.handler ?? resolved.handler;
    const delivery: Delivery<unknown> = {
      ...identityOf(topic, partition, message, resolved.key),
      fingerprint: resolved,
      message,
      parse: () => parse(message.value, message),
      handler: (payload, attempt, ...extra) =>
        run({ topic, partition, message, payload: payload as never }, attempt, ...(extra as never[])),
      signal,
      source: () => topicSource({ ...fetched, groupId: resolved.groupId }),
      onFailed,
      emit(event) {
        events.emit({ ...event, itemIdentifier });
      },
    };
    const verdict = await deliverInTurn(kernel, delivery, turn);
    if (verdict !== 'not-started') warnStuck(itemIdentifier, verdict);
    return verdict;
  }

  async function onceEach(event: LambdaKafkaEvent, context: LambdaContext): Promise<KafkaResponse> {
    parseOptions(SUBJECT, kafkaInvocation(), { event, context });
    const batchItemFailures = await invoke(context, lanesOf(event), {
      idOf: ({ itemIdentifier }) => itemIdentifier,
      mixesLanes: false,
      process,
    });
    if (batchItemFailures.length > 0 && onKept === 'throw') {
      throw new KeptRecordsError(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    }
    return { batchItemFailures };
  }

  return Object.assign(onceEach, { counts: events.counts });
}

interface Item {
  readonly record: KafkaRecord;
  readonly itemIdentifier: KafkaItemIdentifier;
}

function placed(record: KafkaRecord) {
  return { topic: record.topic, partition: record.partition, message: toMessage(record) };
}

/** One lane per partition, in the order of the offsets, as the event has them. */
function lanesOf({ records }: LambdaKafkaEvent): Item[][] {
  return Object.entries(records).map(([partition, list]) =>
    list.map((record) => ({ record, itemIdentifier: { partition, offset: record.offset } })),
  );
}

/**
 * Warns once of a record that can never be acknowledged: nothing of its partition is handled until Lambda gives it up.
 */
function createWarnStuck(events: EventSink<KafkaRecordEvent>) {
  const warnedAt = new Map<string, number>();
  return ({ partition, offset }: KafkaItemIdentifier, verdict: Verdict): void => {
    if (!isStuck(verdict)) return;
    if (warnedAt.get(partition) === offset) return;
    warnedAt.set(partition, offset);
    const message =
      `${partition} is stuck at offset ${offset}. Limit the retries of the event source mapping, and give it an ` +
      `on-failure destination, so that it does not block the partition. Cause: ${describeThrown(verdict.error)}`;
    warn({ warning: 'PARTITION_STUCK', message }, events);
  };
}
