import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Handler } from '../words/handler.ts';
import type { HandleOnceEventType } from '../reporting/events.ts';
import type { Counts } from '../reporting/event-sink.ts';
import type { CallOptions, ParseOption, SchemaOption } from './call-options.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import type { Outcome } from '../words/outcome.ts';
import type { RetryOptions } from '../options/retries.ts';
import type { DerivedScope } from '../options/scope.ts';
import type { BatchCalls, BatchCallsWithSchema } from './batch-calls.ts';

/** What `handleOnce` can be called with. `Extra` is what handlers get beyond payload and attempt. */
export interface Calls<Extra extends readonly unknown[] = []> {
  <Payload, Schema extends StandardSchemaV1, Result>(
    key: string,
    payload: Payload,
    fn: Handler<StandardSchemaV1.InferOutput<Schema>, Extra, Result>,
    options: CallOptions<Payload> & SchemaOption<Schema> & Partial<ParseOption<Payload, unknown>>,
  ): Promise<Outcome<Result>>;
  <Payload, Parsed, Result>(
    key: string,
    payload: Payload,
    fn: Handler<Awaited<Parsed>, Extra, Result>,
    options: CallOptions<Payload> & ParseOption<Payload, Parsed>,
  ): Promise<Outcome<Result>>;
  <Payload, Result>(
    key: string,
    payload: Payload,
    fn: Handler<Payload, Extra, Result>,
    options?: CallOptions<Payload>,
  ): Promise<Outcome<Result>>;
}

/** The same for a `handleOnce` made with a schema: handlers get the schema's output, for any payload. */
export type CallsWithSchema<Schema extends StandardSchemaV1, Extra extends readonly unknown[] = []> = <
  Result,
  Payload = unknown,
>(
  key: string,
  payload: Payload,
  fn: Handler<StandardSchemaV1.InferOutput<Schema>, Extra, Result>,
  options?: CallOptions<Payload> & Partial<ParseOption<Payload, unknown>>,
) => Promise<Outcome<Result>>;

/** A `handleOnce` of either kind, as the adapters take it. */
export interface AnyHandleOnce {
  /** The options as they apply, defaults filled in. */
  readonly settings: HandleOnceSettings;
  /** How often each type of event happened in this process, in all scopes. */
  counts(): Counts<HandleOnceEventType>;
  /**
   * The same function with other records: there the same key is a different message.
   *
   * A string is the whole scope, independent of the present one: `inScope('x')` has the records of
   * `createHandleOnce({ scope: 'x' })`. `{ kind, name }` adds to the present scope, and no other kind or name gives the
   * same scope: `{ kind: 'tenant', name }` for each of your tenants. Adapters keep their records in
   * `{ kind: 'kafka', name: groupId }`, `{ kind: 'webhook', name }` and `{ kind: 'http', name: 'POST /orders' }`.
   *
   * Throws `InvalidOptionsError` on a scope that `createHandleOnce` would refuse, and on a scope that is too long.
   *
   * @example
   * ```ts
   * const ofTenant = handleOnce.inScope({ kind: 'tenant', name: 'acme' });
   * console.log(ofTenant.settings.scope); // billing>tenant:acme
   * ```
   */
  inScope(scope: string | DerivedScope): AnyHandleOnce;
  /**
   * The same records, tried more or less often. Options that are not given are unchanged.
   *
   * Throws `InvalidOptionsError` on what `createHandleOnce` would refuse.
   *
   * @example
   * ```ts
   * const patient = handleOnce.withRetries({ maxAttempts: 14 });
   * ```
   */
  withRetries(retries: RetryOptions): AnyHandleOnce;
  /**
   * Checks, by reads only, whether messages can be handled now: for a readiness probe. Resolves if they can.
   *
   * Throws `SchemaError` when the tables are missing, older than this version of the package, or newer by more than one
   * version, when they lack what the statements need, row level security hides them, or the role may not write them;
   * and `StoreError` when the database cannot be reached, refuses, accepts no writes, or gives no answer within a third
   * of the lease. What it throws is also an event `store-error`. With your own store it calls the store's `check`, if
   * it has one.
   *
   * @example
   * ```ts
   * await handleOnce.checkStore();
   * ```
   */
  checkStore(): Promise<void>;
  /**
   * What is on record for a key in this scope: the outcome that a duplicate gets, or undefined if there is no record,
   * or it has expired. It claims and changes nothing, and does not count as a delivery: another caller can claim the
   * key right after. A pending record that is free to run has a `retryAfterMs` of 0.
   *
   * For a change of the key format, where a message may be on record under its old key: docs/moving-over.md. Throws
   * `InvalidKeyError`, `StoreError`, `SchemaError`, `DamagedRecordError`, and `InvalidOptionsError` if your own store
   * has no `lookup`.
   *
   * @example
   * ```ts
   * const before = await handleOnce.lookup('order-7');
   * if (before?.state === 'succeeded') console.log(before.result);
   * ```
   */
  lookup(key: string): Promise<Outcome<unknown> | undefined>;
  /**
   * Writes buffered data to the database: the counts of `stats`, and the history of how attempts ended. Call it at the
   * end of a process, before you end its client. `stop()` of a worker calls it, and so does stopping a Kafka consumer.
   *
   * It covers every `handleOnce` with the same client and `databaseSchema`, in any scope. It leaves the client open:
   * you must end it. Later calls of `handleOnce` still run, and are counted by the next write. It takes milliseconds,
   * and gives up after 3 s if the database does not answer. It can be called again, and never throws: data that the
   * database refuses is sent with the next write.
   *
   * @example
   * ```ts
   * await handleOnce.close();
   * await sql.end();
   * ```
   */
  close(): Promise<void>;
}

/**
 * Runs `fn` for the one delivery of `key` that owns its claim, and answers every other delivery from the record.
 *
 * A retryable error leaves the record pending and is part of the outcome, not thrown. Throws `InvalidKeyError`,
 * `InvalidOptionsError`, `UnhashablePayloadError`, `AbortedError`, `PayloadMismatchError`, `DamagedRecordError`,
 * `StoreError` and `SchemaError`; after any of them `fn` has not run.
 *
 * `Tx` is what the client gives as a transaction.
 */
export interface HandleOnce<Tx = unknown> extends AnyHandleOnce, Calls {
  /**
   * The same in a transaction of the records' database, which handlers get as third argument: what they write through
   * it and the record commit together, or neither does. When the handler throws, its writes are rolled back.
   *
   * Needs a client, not a store. Keep its pool above one connection: a long handler's heartbeats need another.
   *
   * @example
   * ```ts
   * await handleOnce.inTransaction(order.orderId, order, async (order, _, tx) => {
   *   await tx`insert into invoices (id, cents) values (${order.orderId}, ${order.cents})`;
   * });
   * ```
   */
  readonly inTransaction: Calls<[transaction: Tx]> & { readonly batch: BatchCalls<[transaction: Tx]> };
  /**
   * Handles many messages: runs `fn` once for those at their first attempt that no other caller has. The others are
   * answered from their records, or run alone after it. One answer for each entry, in their order: its outcome, or
   * `refused` with the error that `handleOnce` would throw.
   *
   * At most 500 entries. With `handleOnce.inTransaction.batch` what `fn` writes and all records commit together; when
   * it throws, the transaction is rolled back, and the messages run one by one. Throws `InvalidOptionsError`, also
   * where `maxDeaths` is below 3, or `maxAttempts` below 2 without a transaction.
   *
   * @example
   * ```ts
   * const entries = orders.map((order) => ({ key: order.orderId, payload: order }));
   * const outcomes = await handleOnce.inTransaction.batch(entries, async (orders, _, tx) => {
   *   await tx`insert into invoices ${tx(orders.map(({ orderId, cents }) => ({ id: orderId, cents })))}`;
   * });
   * ```
   */
  readonly batch: BatchCalls;
  inScope(scope: string | DerivedScope): HandleOnce<Tx>;
  withRetries(retries: RetryOptions): HandleOnce<Tx>;
}

/** A `HandleOnce` made with a schema. */
export interface HandleOnceWithSchema<Schema extends StandardSchemaV1, Tx = unknown>
  extends AnyHandleOnce, CallsWithSchema<Schema> {
  /** As in `HandleOnce`. Adapters infer from the schema what their handlers get. */
  readonly settings: HandleOnceSettings & { readonly schema: Schema };
  /** As in `HandleOnce`: the handler gets the output of the schema, and the transaction. */
  readonly inTransaction: CallsWithSchema<Schema, [transaction: Tx]> & {
    readonly batch: BatchCallsWithSchema<Schema, [transaction: Tx]>;
  };
  /** As in `HandleOnce`: the handler gets the outputs of the schema. */
  readonly batch: BatchCallsWithSchema<Schema>;
  inScope(scope: string | DerivedScope): HandleOnceWithSchema<Schema, Tx>;
  withRetries(retries: RetryOptions): HandleOnceWithSchema<Schema, Tx>;
}
