import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { FingerprintOptions } from '../options/fingerprint-options.ts';

/** Options of one call. Its `fingerprint` and `ignoredFields` replace those of the instance. */
export interface CallOptions<Payload = unknown> extends FingerprintOptions<Payload> {
  /** Aborted before the claim: `AbortedError`. Aborted while the handler runs: `attempt.signal` aborts with it. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the `timeoutMs` of the instance. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds to wait for the outcome of another caller that has the message, instead of answering `in-flight` at
   * once. If the owner dies while this call waits, this call takes over. No connection is held. Default 0.
   */
  readonly waitMs?: number | undefined;
}

/**
 * Turns the payload as delivered into what the schema or the handler gets. What it throws is an invalid payload; a
 * `RetryableError` releases the message.
 */
export interface ParseOption<Payload, Parsed> {
  /** Called for the owner of the claim only. It may return a promise. */
  readonly parse: (payload: Payload) => Parsed;
}

/** Replaces the `schema` of the instance. */
export interface SchemaOption<Schema extends StandardSchemaV1> {
  /** Any Standard Schema: the handler gets its output; a payload that does not fit fails permanently. */
  readonly schema: Schema;
}
