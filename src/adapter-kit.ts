/** What the adapters share beyond the public face. */
export { type Kernel, kernelOf } from './adapter/kernel.ts';
export { checkConsumerOptions, consumerFields } from './adapter/consumer-options.ts';
export { BatchGatherer } from './adapter/batch-gatherer.ts';
export { createAdapterEvents } from './adapter/adapter-events.ts';
export type { DeadLetterFacts } from './adapter/dead-letter.ts';
export { deliver, type Delivered, handledFacts } from './adapter/deliver.ts';
export { deliverSeated } from './adapter/deliver-seated.ts';
export type { Delivery } from './adapter/delivery.ts';
export type { HandlingEvent, KeptEvent, KeptReason } from './adapter/delivery-event.ts';
export { foundKey } from './adapter/found-key.ts';
export type {
  BatchChecked,
  HandlerFor,
  NeedsTransactions,
  OptionsChecked,
  ParsedPayload,
  TransactionOf,
} from './adapter/handler-types.ts';
export { Hold } from './adapter/hold.ts';
export { messageOptions } from './adapter/message-options.ts';
export { resolveOptions } from './adapter/resolve-options.ts';
export { storeIsUsable } from './adapter/store-check.ts';
export { createTrial } from './adapter/trial.ts';
export { type Kept, type Verdict, verdictEvent } from './adapter/verdict.ts';
export { wasAbandoned } from './engine/abandoned.ts';
export { Batch } from './engine/batch/batch.ts';
export type { AnyBatchHandler } from './engine/batch/call-batch.ts';
export type { Seat } from './engine/batch/seat.ts';
export { clockOf } from './engine/hidden-handles.ts';
export { UnlistedError } from './history/unlisted-error.ts';
export { atEndOfTurn, type Clock, systemClock, type Timer } from './lib/clock.ts';
export { coalesce } from './lib/coalesce.ts';
export { fewAtOnce } from './lib/few-at-once.ts';
export { Gate } from './lib/gate.ts';
export { elapsedSince, now } from './lib/instant.ts';
export { isPromise } from './lib/is-promise.ts';
export { kindOf } from './lib/kind-of.ts';
export { later } from './lib/later.ts';
export { lazily } from './lib/lazily.ts';
export { onAbort } from './lib/on-abort.ts';
export { PACKAGE_VERSION } from './lib/package-version.ts';
export { printable } from './lib/printable.ts';
export { retryWait } from './lib/retry.ts';
export { isError } from './lib/safe-read.ts';
export { shareAcrossCopies } from './lib/shared-class.ts';
export { delay, endsBeforeAbort, endsWithin } from './lib/wait.ts';
export { markAsReturningAround } from './options/around-option.ts';
export {
  type FingerprintOptions,
  fingerprintFields,
  fingerprintOf,
  hasFingerprintChoice,
  jsonPointer,
} from './options/fingerprint-options.ts';
export {
  batchOption,
  type BatchOptions,
  gatheredBatchOption,
  type GatheredBatchOptions,
} from './options/batch-options.ts';
export { handlerOption } from './options/handler-option.ts';
export { childKeysOf, keyFault } from './options/key.ts';
export {
  callback,
  chosen,
  flag,
  hasMethods,
  NOT_AN_OBJECT,
  parseOptions,
  satisfying,
  wholeNumber,
  withMethods,
} from './options/parse-options.ts';
export { derivedScopeFault, nameOfKind } from './options/scope.ts';
export { parseExactly } from './payload/exact-json.ts';
export { valueAt } from './payload/json-pointer.ts';
export { causeOf, describeThrown, nameOfThrown, toStoredError } from './payload/stored-error.ts';
export type { CommittingClient } from './postgres/committing-client.ts';
export { isReadTimeout } from './postgres/error-layers.ts';
export { toDatabaseClient } from './postgres/sql-client.ts';
export { createPreparing } from './postgres/preparing.ts';
export { rolledBack } from './postgres/rolled-back-error.ts';
export { transactionEnded } from './postgres/transaction-gate.ts';
export { EventError } from './reporting/event-error.ts';
export type { EventSink } from './reporting/event-sink.ts';
export { endingOf, type Handled, meaningOf } from './words/endings.ts';
export type { AttemptFor } from './words/steps.ts';
