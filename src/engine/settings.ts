import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { FingerprintOptions } from '../options/fingerprint-options.ts';
import type { Retries } from '../options/retries.ts';
import type { Logger } from '../reporting/logger.ts';
import type { Around } from '../words/around.ts';

/** The options as they apply, defaults filled in. */
export interface HandleOnceSettings extends Retries, FingerprintOptions<unknown> {
  /** The scope of the records, as `inScope` has derived it. */
  readonly scope: string;
  /** Milliseconds. */
  readonly leaseMs: number;
  /**
   * Whether `maxAttempts` or `backoff` were given, or `withRetries` was called. If not, an adapter may have another
   * default.
   */
  readonly retriesWereChosen: boolean;
  /** Milliseconds. Undefined: no limit, but `leaseMs` with `inTransaction`. */
  readonly timeoutMs: number | undefined;
  /** Milliseconds from the success. */
  readonly succeededRetentionMs: number;
  /** Milliseconds from the failure. */
  readonly failedRetentionMs: number;
  /** Whether replays can have a result. */
  readonly storeResult: boolean;
  /** Bytes of JSON. No effect if `storeResult` is false. */
  readonly maxResultBytes: number;
  /** Bytes of JSON, of all steps of a message. */
  readonly maxStepBytes: number;
  /** Whether concurrent calls share statements. */
  readonly batching: boolean;
  /** Undefined where payloads are not validated, unless a call or an adapter has a schema. */
  readonly schema: StandardSchemaV1 | undefined;
  /** Undefined: nothing runs around attempts. */
  readonly around: Around | undefined;
  /** Adapters use it too, unless they are given one. */
  readonly logger: Logger | undefined;
  /** Whether `inTransaction` works: made with `sql`, not with a store. */
  readonly hasTransactions: boolean;
  /** The most connections of the client of `sql`. Undefined where not known. */
  readonly maxConnections: number | undefined;
}
