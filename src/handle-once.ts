import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import type { Handler } from './attempt.ts';
import type { HandleOnceEvent, HandleOnceEventType } from './diagnostics.ts';
import { answerFromRecord } from './engine/answer.ts';
import type { Engine } from './engine/engine.ts';
import { createLeaseAlarms } from './engine/lease.ts';
import { runAttempt } from './engine/run-attempt.ts';
import { aborted, claimPatiently } from './engine/wait-for-owner.ts';
import { InvalidOptionsError } from './errors.ts';
import { type Counts, createEventSink, type EventSink } from './event-sink.ts';
import { fingerprint } from './fingerprint.ts';
import { checkKey, scopeFault } from './key.ts';
import {
  type HandleOnceOptions,
  type HandleOnceSettings,
  type ResolvedOptions,
  resolveOptions,
} from './options.ts';
import type { Outcome } from './outcome.ts';
import { callback, parseOptions, standardSchema, wholeNumber } from './parse-options.ts';
import { createRecords } from './store/records.ts';
import { validatePayload } from './validate-payload.ts';

/** Options of one call. */
export interface CallOptions {
  /** Aborted before the claim: `AbortedError`. Aborted while the handler runs: `attempt.signal` aborts with it. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the instance's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds to wait for the outcome of another caller that has the message, instead of answering `in-flight` at
   * once. When the owner dies meanwhile this call takes over. No connection is held. Default 0.
   */
  readonly waitMs?: number | undefined;
}

/** Turns the payload as delivered into what the schema or the handler gets. What it throws is an invalid payload. */
export interface ParseOption<Payload, Parsed> {
  readonly parse: (payload: Payload) => Parsed;
}

/** In place of the instance's `schema`. */
export interface SchemaOption<Schema extends StandardSchemaV1> {
  readonly schema: Schema;
}

/** A `handleOnce` of either kind, as the adapters take it. */
export interface AnyHandleOnce {
  /** The options as they apply, defaults filled in. */
  readonly settings: HandleOnceSettings;
  /** How often each type of event happened in this process, in whatever scope. */
  counts(): Counts<HandleOnceEventType>;
  /**
   * The same with other records: a consumer group, or a tenant, under which the same key is another message.
   *
   * Throws `InvalidOptionsError` on a scope that `createHandleOnce` would refuse.
   */
  inScope(scope: string): AnyHandleOnce;
}

/**
 * Runs `fn` for the one delivery of `key` that owns its claim, and answers every other delivery from the record.
 *
 * A retryable error leaves the record pending and is part of the outcome, not thrown. Throws `InvalidKeyError`,
 * `InvalidOptionsError`, `UnhashablePayloadError`, `AbortedError`, `PayloadMismatchError`, `StoreError` and
 * `SchemaError`; after any of them `fn` has not run.
 */
export interface HandleOnce extends AnyHandleOnce {
  <Payload, Schema extends StandardSchemaV1, Result>(
    key: string,
    payload: Payload,
    fn: Handler<StandardSchemaV1.InferOutput<Schema>, Result>,
    options: CallOptions & SchemaOption<Schema> & Partial<ParseOption<Payload, unknown>>,
  ): Promise<Outcome<Result>>;
  <Payload, Parsed, Result>(
    key: string,
    payload: Payload,
    fn: Handler<Awaited<Parsed>, Result>,
    options: CallOptions & ParseOption<Payload, Parsed>,
  ): Promise<Outcome<Result>>;
  <Payload, Result>(
    key: string,
    payload: Payload,
    fn: Handler<Payload, Result>,
    options?: CallOptions,
  ): Promise<Outcome<Result>>;
  inScope(scope: string): HandleOnce;
}

/** A `HandleOnce` made with a schema: handlers get the schema's output, whatever the payload is. */
export interface HandleOnceWithSchema<Schema extends StandardSchemaV1> extends AnyHandleOnce {
  <Result, Payload = unknown>(
    key: string,
    payload: Payload,
    fn: Handler<StandardSchemaV1.InferOutput<Schema>, Result>,
    options?: CallOptions & Partial<ParseOption<Payload, unknown>>,
  ): Promise<Outcome<Result>>;
  inScope(scope: string): HandleOnceWithSchema<Schema>;
}

interface ResolvedCall extends CallOptions {
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
}

const callOptionsSchema = z.strictObject(
  {
    signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
    timeoutMs: wholeNumber('milliseconds', 1, 43_200_000).optional(),
    waitMs: wholeNumber('milliseconds', 0, 43_200_000).optional(),
    parse: callback<(payload: never) => unknown>('a function of the payload').optional(),
    schema: standardSchema().optional(),
  },
  { error: 'the options must be an object' },
);

/**
 * Makes a `handleOnce(key, payload, fn)` for one scope. Opens no connection and runs nothing until it is called.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const sql = postgres(databaseUrl);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * const outcome = await handleOnce(delivery.id, delivery, async (order, attempt) => {
 *   return await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * });
 * ```
 */
export function createHandleOnce<Schema extends StandardSchemaV1>(
  options: HandleOnceOptions & { readonly schema: Schema },
): HandleOnceWithSchema<Schema>;
export function createHandleOnce(options: HandleOnceOptions): HandleOnce;
export function createHandleOnce(options: HandleOnceOptions): HandleOnce {
  const resolved = resolveOptions(options);
  return createWith(resolved, createEventSink(resolved.onEvent));
}

function createWith(resolved: ResolvedOptions, events: EventSink<HandleOnceEvent>): HandleOnce {
  const { settings, store, backoff, schema: instanceSchema } = resolved;
  const engine: Engine = {
    settings,
    backoff,
    events,
    records: createRecords(store, settings, settings),
    leaseAlarms: createLeaseAlarms(settings.leaseMs),
  };

  async function handleOnce<Result>(
    key: string,
    payload: unknown,
    fn: Handler<unknown, Result>,
    callOptions?: ResolvedCall,
  ): Promise<Outcome<Result>> {
    checkKey('key', key);
    const { signal, timeoutMs, waitMs = 0, parse, schema } = parseCall(fn, callOptions);
    const hash = fingerprint(payload);
    if (signal?.aborted === true) throw aborted(engine, key, signal);
    const { reply, token, sentAt } = await claimPatiently(engine, key, hash, { waitMs, signal });
    if (reply.kind !== 'claimed') return answerFromRecord<Result>(engine, key, reply);
    const { attempts } = reply;
    const type = reply.tookOver ? 'taken-over' : 'claimed';
    events.emit({ type, scope: settings.scope, key, attempts });
    const limits = { signal, timeoutMs: timeoutMs ?? settings.timeoutMs };
    return await runAttempt(engine, { key, token, attempts, sentAt }, limits, async (attempt) =>
      fn(await validatePayload(payload, parse, schema ?? instanceSchema), attempt),
    );
  }

  function inScope(scope: string): HandleOnce {
    return createWith({ ...resolved, settings: settingsInScope(settings, scope) }, events);
  }

  return Object.assign(handleOnce, { settings, counts: events.counts, inScope });
}

function settingsInScope(settings: HandleOnceSettings, scope: string): HandleOnceSettings {
  const fault = scopeFault(scope);
  if (fault !== undefined) throw new InvalidOptionsError('inScope', [{ field: 'scope', message: fault }]);
  return Object.freeze({ ...settings, scope });
}

function parseCall(fn: unknown, options: ResolvedCall | undefined): ResolvedCall {
  if (typeof fn !== 'function') {
    throw new InvalidOptionsError('handleOnce', [
      { field: 'fn', message: 'must be a function of (payload, attempt)' },
    ]);
  }
  return options === undefined ? {} : parseOptions('handleOnce', callOptionsSchema, options);
}
