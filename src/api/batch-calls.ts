import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { BatchHandler } from '../words/batch-handler.ts';
import type { Handled } from '../words/endings.ts';
import type { CallOptions, ParseOption, SchemaOption } from './call-options.ts';

/** A message for `handleOnce.batch`. */
export interface BatchEntry<Payload> {
  /** As the first argument of `handleOnce`. */
  readonly key: string;
  /** As the second one. */
  readonly payload: Payload;
}

/** Options of one call of `handleOnce.batch`. `timeoutMs` is that of the batch, and of each message that runs alone. */
export type BatchCallOptions<Payload = unknown> = Omit<CallOptions<Payload>, 'waitMs'>;

/** What `handleOnce.batch` can be called with. `Extra` is what handlers get beyond payloads and attempts. */
export interface BatchCalls<Extra extends readonly unknown[] = []> {
  <Payload, Schema extends StandardSchemaV1, Result>(
    entries: readonly BatchEntry<Payload>[],
    fn: BatchHandler<StandardSchemaV1.InferOutput<Schema>, Extra, Result>,
    options: BatchCallOptions<Payload> & SchemaOption<Schema> & Partial<ParseOption<Payload, unknown>>,
  ): Promise<readonly Handled<Result>[]>;
  <Payload, Parsed, Result>(
    entries: readonly BatchEntry<Payload>[],
    fn: BatchHandler<Awaited<Parsed>, Extra, Result>,
    options: BatchCallOptions<Payload> & ParseOption<Payload, Parsed>,
  ): Promise<readonly Handled<Result>[]>;
  <Payload, Result>(
    entries: readonly BatchEntry<Payload>[],
    fn: BatchHandler<Payload, Extra, Result>,
    options?: BatchCallOptions<Payload>,
  ): Promise<readonly Handled<Result>[]>;
}

/** The same for a `handleOnce` made with a schema: handlers get the schema's output, for any payloads. */
export type BatchCallsWithSchema<Schema extends StandardSchemaV1, Extra extends readonly unknown[] = []> = <
  Result,
  Payload = unknown,
>(
  entries: readonly BatchEntry<Payload>[],
  fn: BatchHandler<StandardSchemaV1.InferOutput<Schema>, Extra, Result>,
  options?: BatchCallOptions<Payload> & Partial<ParseOption<Payload, unknown>>,
) => Promise<readonly Handled<Result>[]>;
