import {
  batchOption,
  type BatchOptions,
  consumerFields,
  type ParsedPayload,
  wholeNumber,
} from '../../src/adapter-kit.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { AnyHandleOnce, Logger, RetryOptions } from '../../src/index.ts';

/** What a handler gets: the output of the schema, here or of `handleOnce`, or else what `parse` returns. */
export type LambdaPayload<Schema, Parsed, Once = unknown> = ParsedPayload<Schema, Parsed, Once>;

/** What both event sources take. */
export interface LambdaOptions<
  Schema extends StandardSchemaV1 | undefined,
  InTransaction extends boolean = false,
  Batched extends BatchOptions | undefined = undefined,
> extends RetryOptions {
  /** Made by `createHandleOnce`. */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
  /** Any Standard Schema: the handler gets its output; what does not fit fails permanently. */
  readonly schema?: Schema | undefined;
  /**
   * Runs the handler once for many records of an invocation, at most `size`, 2 to 500: it is a `BatchHandler` then. A
   * batch has records of one partition, or of any message groups, each group in its order. After a record is reported,
   * no later record of its group or partition starts. A record that has been tried before runs alone.
   */
  readonly batch?: Batched | undefined;
  /**
   * The most handlers that run at once in one invocation, 1 to 1,000. With `batch` each has a batch, and `concurrency`
   * times `size` is at most 5,000. Default 10: enough for a whole batch of Lambda's default size, and a limit for
   * batches of thousands.
   */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds before the function's timeout, 100 to 60,000: from then on nothing is started, and the signals of
   * handlers abort. Handlers have three quarters of it to stop. Default 2,000.
   */
  readonly deadlineMarginMs?: number | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

export function lambdaFields<Event>() {
  return {
    ...consumerFields<Event>(),
    batch: batchOption(),
    concurrency: z._default(wholeNumber('handlers', 1, 1_000), 10),
    deadlineMarginMs: z._default(wholeNumber('milliseconds', 100, 60_000), 2_000),
  };
}
