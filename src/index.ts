/**
 * Makes a queue consumer effectively once: `handleOnce(key, payload, fn)` keeps each message's state in Postgres, runs
 * `fn` for the one caller that owns the claim, and answers every other delivery from the record.
 *
 * @module handle-once
 */
export type { Around, BeginningAttempt, MessageSource } from './words/around.ts';
export type { Attempt } from './words/attempt.ts';
export type { BatchAttempt, BatchHandler } from './words/batch-handler.ts';
export type { Backoff } from './options/backoff.ts';
export type { AnyHandleOnce, HandleOnce, HandleOnceWithSchema } from './api/handle-once.ts';
export type { CallOptions } from './api/call-options.ts';
export type { BatchCallOptions, BatchCalls, BatchEntry } from './api/batch-calls.ts';
export type { Handled, Refused } from './words/endings.ts';
export type { HandleOnceEvent } from './reporting/events.ts';
export type { EventError } from './reporting/event-error.ts';
export {
  AbortedError,
  DamagedRecordError,
  HandleOnceError,
  type HandleOnceErrorCode,
  InvalidKeyError,
  InvalidOptionsError,
  LeaseLostError,
  type OptionIssue,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from './words/errors.ts';
export type { Counts } from './reporting/event-sink.ts';
export { createHandleOnce } from './api/create-handle-once.ts';
export type { Handler } from './words/handler.ts';
export type { JsonForm } from './words/json-form.ts';
export type { MissingOption } from './words/missing-option.ts';
export type { StepAttempt } from './words/steps.ts';
export { InvalidPayloadError, RetryableError, TerminalError } from './words/handler-errors.ts';
export { migrate, type MigrateOptions, type MigrateResult } from './migrations/migrate.ts';
export { migrationSql, type MigrationSqlOptions } from './migrations/migration-sql.ts';
export type { HandleOnceOptions } from './api/options.ts';
export type { HandleOnceSettings } from './engine/settings.ts';
export type {
  Failed,
  FailedReason,
  Outcome,
  Pending,
  PendingReason,
  Replayed,
  ReplayedWithoutResult,
  ResultOmitted,
  StoredError,
  Succeeded,
  SucceededNow,
} from './words/outcome.ts';
export type { LogFields, Logger } from './reporting/logger.ts';
export type { Retries, RetryOptions } from './options/retries.ts';
export { retryBudget, type RetryBudget } from './options/retry-budget.ts';
export { retention } from './options/retention.ts';
export type { DerivedScope } from './options/scope.ts';
export type { DatabaseClient, DatabaseQueries, DatabaseRow } from './postgres/database-client.ts';
export type { SqlClient } from './postgres/sql-client.ts';
