import type { KafkaFault, KafkaOutcome } from './kafka-names.ts';

/** What can go wrong with a call to the store. */
const STORE_FAULTS = [
  'store refuses connections',
  'store is silent',
  'store request lost',
  'store reply lost',
  'store statement lands late',
  'store slow',
] as const;

/** What can go wrong with a call to what messages come from. */
export const BROKER_FAULTS = [
  'broker refuses connections',
  'broker is silent',
  'broker request lost',
  'broker reply lost',
  'broker slow',
] as const;

/** What is done to the workers, whatever their messages come from. */
export const COMMON_FAULTS = [
  ...STORE_FAULTS,
  'record locked',
  'record changed between two statements',
  'clock of the database set',
  'result refused by the store',
  'process died',
  'process was frozen',
  'machine suspended',
  'machine paused with its clocks',
  'wall clock wrong',
  'wall clock set',
  'worker with other settings began',
  'worker stopped for a deployment',
  'handler threw',
  'handler threw a terminal error',
  'handler asked for a later retry',
  'handler said not yet',
  'handler ignored its signal',
  'handler hung',
  'handler blocked its process',
  'handler killed its process',
  'handler returned too much',
  'same key with another body',
  'operator retried a record',
  'operator forgot a record',
  'expired record purged',
  'same key in another scope',
] as const;

/** What is done by a queue of SQS, and by who sends to it. */
export const SQS_FAULTS = [
  'message without a key',
  'entry refused by the queue',
  'dead letter redriven',
] as const;

/** What is done by a standard queue alone. */
export const STANDARD_FAULTS = ['delivered twice', 'delete forgotten by the queue'] as const;

/** What is done by a FIFO queue alone. */
export const FIFO_FAULTS = ['deduplicated by the queue'] as const;

/** What happens to a function of AWS Lambda. */
export const LAMBDA_FAULTS = ['function timed out'] as const;

/** What clients and strangers do who send requests. */
export const REQUEST_FAULTS = ['message without a key', 'delivered twice'] as const;

/** What happens to transactions. */
export const TRANSACTION_FAULTS = [
  'transaction lost a conflict',
  'connection of a transaction broke',
  'commit answered with a rollback',
] as const;

/** What happens where engine and handlers share connections. */
export const POOL_FAULTS = ['pool exhausted'] as const;

export type NetworkFault = (typeof STORE_FAULTS)[number] | (typeof BROKER_FAULTS)[number];

export type Fault =
  | NetworkFault
  | (typeof COMMON_FAULTS)[number]
  | (typeof SQS_FAULTS)[number]
  | (typeof STANDARD_FAULTS)[number]
  | (typeof FIFO_FAULTS)[number]
  | (typeof LAMBDA_FAULTS)[number]
  | (typeof TRANSACTION_FAULTS)[number]
  | (typeof POOL_FAULTS)[number]
  | KafkaFault
  | 'request forged';

/** How calls of `handleOnce` end: the names of its events. */
export const COMMON_OUTCOMES = [
  'claimed',
  'taken-over',
  'still-running',
  'succeeded',
  'failed',
  'released',
  'deferred',
  'interrupted',
  'lease-lost',
  'unrecorded',
  'replayed',
  'in-flight',
  'backing-off',
  'suspect',
  'taken-back',
  'mismatch',
  'aborted',
  'store-error',
] as const;

/** Rows of the table from outcome to broker verb: those that acknowledge, and why others keep. */
const ROWS = [
  'acknowledged',
  'dead-lettered',
  'dead-letter-error',
  'kept: failed',
  'kept: mismatch',
  'kept: invalid-key',
  'kept: in-flight',
  'kept: released',
  'kept: suspect',
  'kept: lease-lost',
  'kept: unrecorded',
  'kept: aborted',
  'kept: store-error',
  'kept: dead-letter-refused',
] as const;

/** What becomes of a message of a queue: the names of the events of adapters. */
export const QUEUE_OUTCOMES = [...ROWS, 'queue-error'] as const;

/** What becomes of a record of AWS Lambda: the types of events, and why it is kept where its invocation ends. */
export const LAMBDA_OUTCOMES = [...ROWS, 'out-of-time', 'behind', 'unfinished'] as const;

/** What the sender of a webhook is answered. */
export const WEBHOOK_OUTCOMES = [
  'answered 200',
  'answered 400',
  'answered 401',
  'answered 422',
  'answered 503',
] as const;

/** What a client is answered. */
export const HTTP_OUTCOMES = [
  'answered 201',
  'answered 400',
  'answered 409',
  'answered 410',
  'answered 422',
  'answered 500',
  'answered 503',
  'answered by a throw',
] as const;

/** The same, where not every adapter has it. */
type OwnOutcome = 'received' | 'returned' | 'visibility-extended' | 'visibility-lost' | 'batch-undone';

export type Outcome =
  | (typeof COMMON_OUTCOMES)[number]
  | (typeof QUEUE_OUTCOMES)[number]
  | (typeof LAMBDA_OUTCOMES)[number]
  | (typeof WEBHOOK_OUTCOMES)[number]
  | (typeof HTTP_OUTCOMES)[number]
  | KafkaOutcome
  | OwnOutcome;

/** Why a message may be run, or at least claimed, once more. */
export const CAUSES = [
  'it threw',
  'it was interrupted',
  'its batch was stopped',
  'its claim was taken back',
  'its worker died',
  'its worker was frozen',
  'a wall clock was set',
  'the store was out of reach',
  'the clock of the database was set',
  'its claim landed too late',
  'its transaction was given up',
  'its record expired',
  'an operator retried it',
  'an operator forgot it',
] as const;

export type Cause = (typeof CAUSES)[number];
