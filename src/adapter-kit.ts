/** What the adapters share beyond the public face. */
export { eventHook, handleOnceOption, NOT_AN_OBJECT } from './adapter-options.ts';
export { coalesce } from './coalesce.ts';
export { deadLetterAttributes, type DeadLetterFacts } from './dead-letter-attributes.ts';
export { endsWithin } from './ends-within.ts';
export { NotStartedError } from './engine/not-started-error.ts';
export { onAbort } from './engine/on-abort.ts';
export { createEventSink, type Counts, type EventSink } from './event-sink.ts';
export { handleDelivery } from './handle-delivery.ts';
export { failureFacts, type Handled, replayedState, thrownReason } from './handled.ts';
export { scopeFault } from './key.ts';
export { identityOf, inGroup, type LogKey, placeOf } from './log-identity.ts';
export {
  callback,
  hasMethods,
  parseOptions,
  satisfying,
  standardSchema,
  wholeNumber,
  withMethods,
} from './parse-options.ts';
export { createQueueCall, type QueueCall, type QueueCallOptions } from './queue-call.ts';
export { queueDeadLetter } from './queue-dead-letter.ts';
export { type Disposition, dispositionOf, leftReason, type OnFailed } from './queue-disposition.ts';
export {
  type AnyQueueHandler,
  isOtherQueue,
  keyOption,
  type ParsedPayload,
  type QueueAttempt,
  queueFields,
  type QueueHandler,
  type QueueOptions,
  queueUrlOption,
  SAME_QUEUE,
} from './queue-options.ts';
export {
  boundedVisibility,
  isAboveLease,
  leaseFault,
  longerThanLease,
  MAX_VISIBILITY_SECONDS,
  type QueueFacts,
  queueFacts,
  queueWarnings,
} from './queue-settings.ts';
export { lanesBy, runLanes } from './run-lanes.ts';
export { describeThrown } from './stored-error.ts';
export { checkLogOptions, defaultParse, logFields } from './log-options.ts';
export { validatePayload } from './validate-payload.ts';
export { type Warning, warn } from './warn.ts';
export { canRunInTransaction, inTransactionOption, NO_TRANSACTIONS } from './transactional-option.ts';
