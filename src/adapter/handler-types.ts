import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Calls } from '../api/handle-once.ts';
import type { BatchOptions } from '../options/batch-options.ts';
import type { Attempt } from '../words/attempt.ts';
import type { BatchAttempt, BatchHandler } from '../words/batch-handler.ts';
import type { StepAttempt } from '../words/steps.ts';
import type { MissingOption } from '../words/missing-option.ts';

/** What a handler gets: the output of the schema, here or of `handleOnce`, or else what `parse` returns. */
export type ParsedPayload<Schema, Parsed, Once = unknown> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : [Once] extends [MadeWithSchema<infer Inherited>]
    ? StandardSchemaV1.InferOutput<Inherited>
    : Awaited<Parsed>;

interface MadeWithSchema<Schema extends StandardSchemaV1> {
  readonly settings: { readonly schema: Schema };
}

/** What is missing where a handler takes a payload that nothing has checked. */
interface NeedsSchemaOrParse {
  /** Or a `schema`. */
  readonly parse: object;
}

/**
 * Requires `parse` where there is no schema and the handler takes more than `Raw`, which it gets otherwise. The
 * compiler infers `Parsed` from the handler too.
 */
type PayloadChecked<Schema, Parsed, Once, Raw = unknown> = Schema extends StandardSchemaV1
  ? unknown
  : [Once] extends [MadeWithSchema<StandardSchemaV1>]
    ? unknown
    : [Raw] extends [Parsed]
      ? unknown
      : NeedsSchemaOrParse;

/** The third argument of a handler: the transaction of `Once`, or the name of the missing option. */
export type TransactionOf<Once, InTransaction> = [InTransaction] extends [true]
  ? [Once] extends [{ readonly inTransaction: Calls<infer Extra> }]
    ? Extra
    : [transaction: unknown]
  : [transaction: MissingOption<'inTransaction: true'>];

/** The handler that an adapter takes: `Single`, or with the option `batch` one for many such messages. */
export type HandlerFor<Batched, Single> = [Batched] extends [BatchOptions] ? BatchHandlerFor<Single> : Single;

/** The result of each message, from the return type of the handler. */
export type ResultFor<Batched, Returned> = [Batched] extends [BatchOptions]
  ? Returned extends readonly (infer Result)[]
    ? Awaited<Result>
    : undefined
  : Returned;

/** Requires that the compiler knows whether the option `batch` is given. */
export type BatchChecked<Batched> = InfersBatch<Batched> &
  ([Batched] extends [BatchOptions] ? Required<InfersBatch<BatchOptions>> : InfersBatch<undefined>);

/** Where the compiler finds the option. */
interface InfersBatch<Batched> {
  /** Runs the handler once for many messages. */
  readonly batch?: Batched;
}

type WithoutSteps<Of extends Attempt> = Of extends StepAttempt<infer Plain> ? Plain : Of;

type BatchHandlerFor<Single> = Single extends (
  payload: infer Payload,
  attempt: infer Of extends Attempt,
  ...extra: infer Extra
) => unknown
  ? (
      payloads: readonly Payload[],
      attempts: readonly (Extra extends [MissingOption<string>] ? BatchAttempt<WithoutSteps<Of>> : Of)[],
      ...extra: Extra
    ) => ReturnType<BatchHandler<Payload>>
  : never;

/** Requires, with `inTransaction: true`, a `handleOnce` that has transactions. */
type TransactionChecked<Once, InTransaction> = Infers<Once> &
  ([InTransaction] extends [true]
    ? NeedsTransactions<unknown>
    : { readonly inTransaction?: false | undefined });

/** Where the compiler finds the `handleOnce` that was given. */
interface Infers<Once> {
  /** Made by `createHandleOnce`. */
  readonly handleOnce: Once;
}

export interface NeedsTransactions<Tx> {
  /** Made with `sql`: its client opens the transactions that handlers get. */
  readonly handleOnce: { readonly inTransaction: Calls<[transaction: Tx]> };
  /** Each handler runs in a transaction. */
  readonly inTransaction: true;
}

/** Requires the options that the payload and the transaction of the handler need. */
export type OptionsChecked<Schema, Parsed, Once, InTransaction, Raw = unknown> = PayloadChecked<
  Schema,
  Parsed,
  Once,
  Raw
> &
  TransactionChecked<Once, InTransaction>;
