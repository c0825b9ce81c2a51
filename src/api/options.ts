import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { type Backoff, DEFAULT_BACKOFF, exponentialBackoff } from '../options/backoff.ts';
import type { Around } from '../words/around.ts';
import type { HandleOnceEvent } from '../reporting/events.ts';
import { aroundOption } from '../options/around-option.ts';
import {
  checkFingerprints,
  type FingerprintOptions,
  fingerprintFields,
} from '../options/fingerprint-options.ts';
import {
  eventHook,
  flag,
  NOT_AN_OBJECT,
  parseOptions,
  standardSchema,
  wholeNumber,
  withMethods,
} from '../options/parse-options.ts';
import { failuresOf } from '../history/failures.ts';
import type { EventLog } from '../history/event-log.ts';
import { statsOf } from '../history/stats.ts';
import { workerLineOf } from '../history/worker.ts';
import type { Clock } from '../lib/clock.ts';
import { schemaName } from '../migrations/options.ts';
import { type Logger, loggerOption } from '../reporting/logger.ts';
import {
  DEFAULT_RETRIES,
  MAX_RETENTION_MS,
  resolveRetries,
  retryFields,
  type RetryOptions,
} from '../options/retries.ts';
import { scopeFault } from '../options/scope.ts';
import { DEFAULT_SCHEMA } from '../postgres/identifier.ts';
import { createPostgresStore } from '../store/postgres/index.ts';
import { type SqlClient, sqlClient, toDatabaseClient } from '../postgres/sql-client.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import type { Store } from '../store/store.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';

const DAY_MS = 86_400_000;
const MAX_LEASE_MS = 43_200_000;
const DEFAULT_MAX_RESULT_BYTES = 65_536;

/** Options of `createHandleOnce`. Give either `sql` or `store`. */
export interface HandleOnceOptions<Tx = unknown> extends RetryOptions, FingerprintOptions<unknown> {
  /**
   * A client made by `postgres(url)`, or one of another library through `handle-once/clients`. `migrate(sql)` must have
   * prepared its database.
   */
  readonly sql?: SqlClient<Tx> | undefined;
  /** A store instead of `sql`: `createMemoryStore()` of `handle-once/testing` for unit tests. */
  readonly store?: Store | undefined;
  /** Namespace of the keys: one logical consumer. 1 to 512 characters, without `>`. */
  readonly scope: string;
  /** Milliseconds that a worker may be silent before another takes over its message. Default 30,000. */
  readonly leaseMs?: number | undefined;
  /**
   * Milliseconds after which an attempt's signal aborts. Default: never. With `inTransaction` the default is `leaseMs`,
   * and a second later the call answers `unrecorded`, because a connection can hang forever.
   */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a succeeded record answers redeliveries. Default 7 days. */
  readonly succeededRetentionMs?: number | undefined;
  /** Milliseconds that a failed record answers redeliveries. Default 7 days. */
  readonly failedRetentionMs?: number | undefined;
  /** Any Standard Schema (zod, valibot, arktype): the handler gets its output; an invalid payload fails permanently. */
  readonly schema?: StandardSchemaV1 | undefined;
  /** Whether records keep what the handler returned, for replays. Default true. */
  readonly storeResult?: boolean | undefined;
  /**
   * The largest result that is kept, in bytes of JSON; a larger one is omitted. Default 65,536.
   *
   * Each call in flight, and each replay, can hold several copies of a result in memory: with large results, limit how
   * many messages are handled at once.
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * The most that all steps of a message take together, in bytes of JSON: a result above it is omitted. Default 65,536.
   */
  readonly maxStepBytes?: number | undefined;
  /**
   * Whether concurrent calls share statements, which makes them fast. With false each call sends separate statements,
   * so that no transaction has the records of several messages. Default true.
   */
  readonly batching?: boolean | undefined;
  /** The Postgres schema that holds the tables; the same as given to `migrate`. Default `handle_once`. */
  readonly databaseSchema?: string | undefined;
  /**
   * Whether the database counts the events of each scope by the minute, for `readStats` of `handle-once/operations`:
   * one statement a minute of the process. A process that ends without `close()`, or a stop of its worker, loses its
   * last minute. Only with `sql`. Default false.
   */
  readonly stats?: boolean | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: HandleOnceEvent) => unknown) | undefined;
  /**
   * Runs around each attempt, for what must be active inside the handler, such as a span: `openTelemetry` of
   * `handle-once/otel` has one. Default: nothing.
   */
  readonly around?: Around | undefined;
  /**
   * Gets each operational problem: failures, releases, errors of the store. `pino()` and `console` work unchanged.
   * Without it, and without `onEvent`, these are process warnings, a few a minute.
   */
  readonly logger?: Logger | undefined;
}

export interface ResolvedOptions<Tx> {
  readonly settings: HandleOnceSettings;
  readonly store: Store;
  /** What was given as `sql` or `store`: all that share it share the room for statements. */
  readonly client: object;
  /** The store where it has transactions: not one of the user's own. */
  readonly transactionalStore: TransactionalStore<Tx> | undefined;
  /** Of the records in Postgres. */
  readonly logs: readonly EventLog[];
  readonly backoff: Backoff;
  readonly onEvent: ((event: HandleOnceEvent) => unknown) | undefined;
  readonly logger: Logger | undefined;
}

const milliseconds = (min: number, max: number) => wholeNumber('milliseconds', min, max);

export const optionsSchema = lazily(() =>
  z
    .strictObject(
      {
        sql: z.optional(sqlClient()),
        store: z.optional(
          withMethods<Store>(['claim', 'settle', 'extend'], 'a store such as createMemoryStore() returns'),
        ),
        scope: z.custom<string>().check(
          z.superRefine((value, context) => {
            const fault = scopeFault(value);
            if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
          }),
        ),
        leaseMs: z._default(milliseconds(100, MAX_LEASE_MS), 30_000),
        ...retryFields(),
        timeoutMs: z.optional(milliseconds(1, MAX_LEASE_MS)),
        succeededRetentionMs: z._default(milliseconds(100, MAX_RETENTION_MS), 7 * DAY_MS),
        failedRetentionMs: z._default(milliseconds(100, MAX_RETENTION_MS), 7 * DAY_MS),
        schema: z.optional(standardSchema()),
        storeResult: z._default(flag(), true),
        maxResultBytes: z.optional(wholeNumber('bytes', 0, 16_777_216)),
        maxStepBytes: z._default(wholeNumber('bytes', 0, 16_777_216), DEFAULT_MAX_RESULT_BYTES),
        batching: z._default(flag(), true),
        databaseSchema: z.optional(schemaName()),
        stats: z._default(flag(), false),
        onEvent: eventHook<HandleOnceEvent>(),
        around: z.optional(aroundOption()),
        ...fingerprintFields<unknown>(),
        logger: loggerOption(),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.superRefine(
        (options, context) => {
          for (const [field, message] of contradictions(options)) {
            context.addIssue({ code: 'custom', path: [field], message });
          }
          checkFingerprints(options, context);
        },
        // Also where a field is wrong by itself, so that everything is said at once.
        { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
      ),
    ),
);

/** What zod cannot see in one field: options that are right alone and wrong together. Each may be wrong alone too. */
function* contradictions(options: {
  readonly [Name in keyof HandleOnceOptions]?: unknown;
}): Generator<[field: string, message: string]> {
  const { sql, store, leaseMs, storeResult, maxResultBytes, databaseSchema } = options;
  if (sql === undefined && store === undefined)
    yield ['sql', 'is missing: pass a client made by postgres(url)'];
  if (sql !== undefined && store !== undefined) yield ['store', 'must not be given together with sql'];
  if (store !== undefined && databaseSchema !== undefined) {
    yield ['databaseSchema', 'has no effect with your own store; remove it'];
  }
  if (store !== undefined && options.stats === true) {
    yield ['stats', 'has no effect with your own store; remove it'];
  }
  if (storeResult === false && maxResultBytes !== undefined) {
    yield ['maxResultBytes', 'has no meaning when storeResult is false; remove one of them'];
  }
  for (const field of ['succeededRetentionMs', 'failedRetentionMs'] as const) {
    const retentionMs = options[field];
    if (Number.isFinite(leaseMs) && Number.isFinite(retentionMs) && Number(retentionMs) < Number(leaseMs)) {
      yield [field, 'must not be below leaseMs: a record that expires so soon answers no redelivery'];
    }
  }
}

export function resolveOptions<Tx>(options: HandleOnceOptions<Tx>, clock: Clock): ResolvedOptions<Tx> {
  const {
    sql,
    store,
    schema,
    onEvent,
    logger,
    databaseSchema,
    maxResultBytes,
    timeoutMs,
    stats,
    around,
    ...given
  } = parseOptions('createHandleOnce', optionsSchema(), options);
  const byDefault = exponentialBackoff(DEFAULT_BACKOFF, clock);
  const { retries, backoff } = resolveRetries(given, DEFAULT_RETRIES, byDefault, clock);
  const tables = databaseSchema ?? DEFAULT_SCHEMA;
  const transactionalStore = store === undefined ? createPostgresStore(sql as SqlClient, tables) : undefined;
  return {
    settings: Object.freeze({
      ...given,
      ...retries,
      retriesWereChosen: given.maxAttempts !== undefined || given.backoff !== undefined,
      timeoutMs,
      schema,
      around,
      logger,
      hasTransactions: transactionalStore !== undefined,
      maxConnections: sql === undefined ? undefined : toDatabaseClient(sql).maxConnections,
      maxResultBytes: maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES,
    }),
    store: store ?? (transactionalStore as Store),
    client: store ?? (sql as SqlClient),
    // Of the caller's own client, whose transactions are `Tx`.
    transactionalStore: transactionalStore as TransactionalStore<Tx> | undefined,
    logs: store === undefined ? logsOf(sql as SqlClient, tables, stats) : [],
    backoff,
    onEvent,
    logger,
  };
}

function logsOf(sql: SqlClient, tables: string, stats: boolean): EventLog[] {
  const always = [workerLineOf(sql, tables), failuresOf(sql, tables)];
  return stats ? [...always, statsOf(sql, tables)] : always;
}
