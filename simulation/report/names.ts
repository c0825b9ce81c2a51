/** What can go wrong with a call of a worker, to the store or to the queue. */
export const NETWORK_FAULTS = [
  'store refuses connections',
  'store is silent',
  'store request lost',
  'store reply lost',
  'store statement lands late',
  'store slow',
  'queue refuses connections',
  'queue is silent',
  'queue request lost',
  'queue reply lost',
  'queue slow',
] as const;

export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** Everything that is done to the workers. A run in which one of them never happened has not tried it. */
export const FAULTS = [
  ...NETWORK_FAULTS,
  'record locked',
  'result refused by the store',
  'entry refused by the queue',
  'delivered twice',
  'delete forgotten by the queue',
  'process died',
  'process stood still',
  'machine suspended',
  'wall clock wrong',
  'wall clock set',
  'worker stopped for a deployment',
  'handler threw',
  'handler threw a terminal error',
  'handler asked for a later retry',
  'handler ignored its signal',
  'handler hung',
  'handler stood still',
  'handler killed its process',
  'handler returned too much',
  'message without a key',
  'same key with another body',
  'operator reopened a record',
  'operator forgot a record',
] as const;

export type Fault = (typeof FAULTS)[number];

/** How calls of `handleOnce` end, and what becomes of messages: the names of the events. */
export const OUTCOMES = [
  'claimed',
  'taken-over',
  'still-running',
  'succeeded',
  'failed',
  'released',
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
  'received',
  'acknowledged',
  'dead-lettered',
  'dead-letter-error',
  'kept',
  'returned',
  'visibility-extended',
  'visibility-lost',
  'queue-error',
] as const;

/** Why a message may be run, or at least claimed, once more. */
export const CAUSES = [
  'it threw',
  'it was interrupted',
  'its claim was taken back',
  'its worker died',
  'its worker stood still',
  'a wall clock was set',
  'the store was out of reach',
  'its claim landed too late',
  'its record expired',
  'an operator reopened it',
  'an operator forgot it',
] as const;

export type Cause = (typeof CAUSES)[number];
