/** What the adapters share beyond the public face. */
export { eventHook, handleOnceOption, NOT_AN_OBJECT } from './adapter-kit/adapter-options.ts';
export { createAdapterEvents } from './adapter-kit/adapter-events.ts';
export { checkStoreAtStart } from './adapter-kit/store-check.ts';
export { coalesce } from './coalesce.ts';
export type { DeadLetterFacts } from './adapter/dead-letter.ts';
export { type Delivered, deliver, handledFacts } from './adapter/deliver.ts';
export type { Consumer, Delivery } from './adapter/delivery.ts';
export type { AcknowledgedEvent, DeliveryEvent, HandlingEvent, KeptEvent } from './adapter/delivery-event.ts';
export { endingOf, replayedState } from './adapter/handled.ts';
export {
  type Acknowledged,
  type Kept,
  type KeptReason,
  keptEvent,
  type Verdict,
  verdictEvent,
} from './adapter/verdict.ts';
export { connectionWarning } from './adapter-kit/connection-warning.ts';
export { endsWithin } from './adapter-kit/ends-within.ts';
export { onAbort } from './engine/on-abort.ts';
export type { Counts, Emitted, EventSink } from './event-sink.ts';
export {
  type FingerprintOptions,
  fingerprintFields,
  fingerprintOptionsFor,
  isGiven,
  isOneFingerprint,
  jsonPointer,
  TWO_FINGERPRINTS,
} from './fingerprint-options.ts';
export { valueAt } from './json-pointer.ts';
export { handlerOption, withHandler } from './handler-option.ts';
export { identityOf, inGroup, type LogKey, placeOf, recordBytes } from './adapter-kit/log-identity.ts';
export {
  callback,
  hasMethods,
  parseOptions,
  satisfying,
  standardSchema,
  wholeNumber,
  withMethods,
} from './parse-options.ts';
export { withOwnRetries } from './adapter-kit/own-retries.ts';
export { sendDeadLetter } from './adapter-kit/queue-dead-letter.ts';
export {
  createQueueDelivery,
  type OnFailed,
  type QueueDeliveryOf,
  type QueueDeliveryOptions,
  visibleAfterMs,
} from './adapter-kit/queue-delivery.ts';
export {
  type AnyQueueHandler,
  isOtherQueue,
  messageFields,
  type ParsedPayload,
  type QueueAttempt,
  queueFields,
  type QueueHandler,
  type QueueOptions,
  queueUrlOption,
  SAME_QUEUE,
} from './adapter-kit/queue-options.ts';
export {
  boundedVisibility,
  isAboveLease,
  leaseFault,
  longerThanLease,
  MAX_VISIBILITY_SECONDS,
  type QueueFacts,
  queueFacts,
  queueWarnings,
} from './adapter-kit/queue-settings.ts';
export { fifoRedriveFault, noRedrivePolicy, unreadableQueue } from './adapter-kit/queue-redrive.ts';
export { lanesBy, runLanes } from './adapter-kit/run-lanes.ts';
export { notATransaction } from './store/postgres/not-a-transaction.ts';
export { isPromise } from './is-promise.ts';
export { keyFault } from './key.ts';
export { isA } from './safe-read.ts';
export { retryFields, SHORT_RETRIES } from './retries.ts';
export { derivedScopeFault } from './scope.ts';
export { shareAcrossCopies } from './shared-class.ts';
export { causeOf, describeThrown, nameOfThrown, toStoredError } from './stored-error.ts';
export { type Logger, loggerOption } from './reporting/logger.ts';
export { checkLogOptions, defaultParse, logFields } from './adapter-kit/log-options.ts';
export { poolSize } from './store/postgres/pool-size.ts';
export { createPreparing } from './store/postgres/preparing.ts';
export { validatePayload } from './validate-payload.ts';
export { type Warning, warn } from './adapter-kit/warn.ts';
export {
  canRunInTransaction,
  type ConsumerOptions,
  consumerOf,
  inTransactionOption,
  NO_TRANSACTIONS,
} from './adapter-kit/transactional-option.ts';
