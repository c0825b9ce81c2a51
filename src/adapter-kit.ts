/** What the adapters share beyond the public face. */
export { handleOnceOption } from './adapter/adapter-options.ts';
export { createAdapterEvents } from './adapter/adapter-events.ts';
export { storeIsUsable } from './adapter/store-check.ts';
export { storeAnswered, type StoreHealth, type StoreReach, watchStore } from './adapter/store-health.ts';
export { atEndOfTurn, type Clock, systemClock, type Timer } from './lib/clock.ts';
export { coalesce } from './lib/coalesce.ts';
export type { DeadLetterFacts } from './adapter/dead-letter.ts';
export { type Delivered, deliver, handledFacts } from './adapter/deliver.ts';
export { deliverInTurn, type Turn } from './adapter/deliver-in-turn.ts';
export { LanePlace, runPipelined } from './adapter/lane-place.ts';
export { type Consumer, type ConsumerOptions, consumerOf } from './adapter/consumer.ts';
export type { Delivery } from './adapter/delivery.ts';
export { Hold, LOST } from './adapter/hold.ts';
export { foundKey } from './adapter/found-key.ts';
export type {
  AcknowledgedEvent,
  DeliveryEvent,
  HandlingEvent,
  KeptEvent,
  KeptReason,
} from './adapter/delivery-event.ts';
export { type Ending, endingOf, type Handled, meaningOf, refused } from './words/endings.ts';
export { type Kept, keptEvent, type Verdict, verdictEvent } from './adapter/verdict.ts';
export { connectionWarning } from './adapter/connection-warning.ts';
export { handlesOf } from './engine/hidden-handles.ts';
export { lazily } from './lib/lazily.ts';
export { onAbort } from './lib/on-abort.ts';
export type { Counts, EventSink } from './reporting/event-sink.ts';
export {
  type FingerprintOptions,
  fingerprintFields,
  fingerprintOf,
  fingerprintOptionsFor,
  hasFingerprintChoice,
  hasAtMostOneFingerprint,
  jsonPointer,
  BOTH_FINGERPRINTS_GIVEN,
} from './options/fingerprint-options.ts';
export { childKey } from './words/child-key.ts';
export { UnlistedError } from './history/unlisted-error.ts';
export { parseExactly } from './payload/exact-json.ts';
export { valueAt } from './payload/json-pointer.ts';
export { markAsReturningAround } from './options/around-option.ts';
export { handlerOption, withHandler } from './options/handler-option.ts';
export {
  abortSignal,
  callback,
  eventHook,
  flag,
  hasMethods,
  NOT_AN_OBJECT,
  parseOptions,
  satisfying,
  standardSchema,
  wholeNumber,
  withMethods,
} from './options/parse-options.ts';
export { messageOptions } from './adapter/message-options.ts';
export { createTrial, fingerprintOnTrial, type Trial } from './adapter/trial.ts';
export { withOwnRetries } from './adapter/own-retries.ts';
export { lanesBy, runLanes } from './adapter/run-lanes.ts';
export { kindOf } from './lib/kind-of.ts';
export { isError } from './lib/safe-read.ts';
export { isPromise } from './lib/is-promise.ts';
export { PACKAGE_VERSION } from './lib/package-version.ts';
export { printable } from './lib/printable.ts';
export { checkKey, keyFault, MAX_KEY_LENGTH } from './options/key.ts';
export { retryFields, SHORT_RETRIES } from './options/retries.ts';
export { derivedScopeFault, nameOfKind } from './options/scope.ts';
export { shareAcrossCopies } from './lib/shared-class.ts';
export { retryWait, spread } from './lib/retry.ts';
export { delay, endsBeforeAbort, endsWithin } from './lib/wait.ts';
export { causeOf, describeThrown, nameOfThrown, toStoredError } from './payload/stored-error.ts';
export { type Logger, loggerOption } from './reporting/logger.ts';
export { toDatabaseClient } from './postgres/sql-client.ts';
export { rolledBack } from './postgres/rolled-back-error.ts';
export { poolSize } from './postgres/pool-size.ts';
export { createPreparing } from './postgres/preparing.ts';
export { type Warning, type WarningEvent, warn } from './adapter/warn.ts';
export {
  canRunInTransaction,
  inTransactionOption,
  NO_TRANSACTIONS,
  type NeedsTransactions,
  type TransactionChecked,
  type TransactionOf,
} from './adapter/transactional-option.ts';
export type { NeedsSchemaOrParse, ParsedPayload, PayloadChecked } from './adapter/parsed-payload.ts';
