import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import {
  type AttemptFor,
  type BatchOptions,
  chosen,
  type FingerprintOptions,
  handlerOption,
  NOT_AN_OBJECT,
  lazily,
} from '../../src/adapter-kit.ts';
import { checkLogOptions, logFields } from '../shared/kafka/log-options.ts';
import type { Attempt } from '../../src/index.ts';
import type { LambdaRecordEvent } from './events.ts';
import type { KafkaItemIdentifier, LambdaKafkaMessage } from './kafka-event.ts';
import { type LambdaOptions, lambdaFields } from './options.ts';

/**
 * What a handler gets: the same as with `onceEachKafkaMessage` of `handle-once/kafka`, without the functions of a
 * consumer.
 */
export interface KafkaRecordDelivery<Payload> {
  /** As the event names it. */
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
  /** Its value is always bytes. */
  readonly message: LambdaKafkaMessage;
  /** The message's value, parsed and validated where that was asked for. */
  readonly payload: Payload;
}

/** `Extra` is the transaction, with the option `inTransaction`: `KafkaRecordHandler<Order, [tx: TransactionSql]>`. */
export type KafkaRecordHandler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = (
  delivery: KafkaRecordDelivery<Payload>,
  attempt: AttemptFor<Extra>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** A handler, whatever its payload is. */
export type AnyKafkaRecordHandler = (
  delivery: KafkaRecordDelivery<never>,
  attempt: Attempt,
  ...extra: never[]
) => unknown;

/** What `onEvent` of `onceEachKafkaRecord` gets. May grow in a minor version: a `switch` needs a `default`. */
export type KafkaRecordEvent = LambdaRecordEvent<KafkaItemIdentifier>;

/** Options of `onceEachKafkaRecord`. */
export interface OnceEachKafkaRecordOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
>
  extends
    LambdaOptions<Schema, InTransaction, Batched>,
    FingerprintOptions<Buffer | null, [message: LambdaKafkaMessage]> {
  /**
   * The consumer group of the event source mapping. It is part of the scope, as for a consumer of `handle-once/kafka`.
   */
  readonly groupId: string;
  /**
   * Turns the value into `payload`. What it throws fails the record permanently; a `RetryableError` releases it.
   * Default: the value as it is, or, with a `schema`, its JSON; a tombstone is null in either case.
   */
  readonly parse?: ((value: Buffer | null, message: LambdaKafkaMessage) => Parsed) | undefined;
  /**
   * The identity of a record. Default its topic, partition and offset, which dedupes redeliveries. A business key also
   * dedupes records that a producer wrote twice; the same key must come with the same value, byte for byte, or it is a
   * mismatch, unless `fingerprint` or `ignoredFields`, which need a `key`, say what may differ.
   */
  readonly key?:
    | ((message: LambdaKafkaMessage, topic: string, partition: number) => string | undefined)
    | undefined;
  /**
   * What to do with a record that failed permanently; there is no default. `'acknowledge'` skips it: only its record
   * and its event show the failure. With `'keep'` it is delivered again, and its partition waits for it, until the
   * limits of the event source mapping send it to the on-failure destination.
   */
  readonly onFailed: 'acknowledge' | 'keep';
  /**
   * How the kept records are reported to Lambda. Default `'throw'`: the invocation fails, and the whole batch is
   * delivered again; the others are answered from their records. `'report'` names the records, for an event source
   * mapping in provisioned mode with `ReportBatchItemFailures`; any other mapping ignores the answer and loses these
   * records.
   */
  readonly onKept?: 'throw' | 'report' | undefined;
  /** Called with each event as it happens, and not waited for. What it throws is reported. */
  readonly onEvent?: ((event: KafkaRecordEvent) => unknown) | undefined;
}

export const kafkaRecordOptions = lazily(() =>
  z
    .strictObject(
      {
        ...lambdaFields<KafkaRecordEvent>(),
        ...logFields<LambdaKafkaMessage>(),
        onFailed: chosen(
          [z.enum(['acknowledge', 'keep'])],
          "must be chosen: 'acknowledge' skips the message, and then only its record and its event show the failure; " +
            "'keep' has it delivered again, until the event source mapping sends it to its on-failure destination",
        ),
        onKept: z._default(z.enum(['throw', 'report'], { error: "must be 'throw' or 'report'" }), 'throw'),
        handler: handlerOption<AnyKafkaRecordHandler>('delivery, attempt'),
      },
      NOT_AN_OBJECT,
    )
    .check(z.superRefine(checkLogOptions)),
);
