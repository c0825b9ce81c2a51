import type { EventError } from '../../src/index.ts';
import type { ReportReason } from './disposition.ts';

interface OfRecord<Id> {
  /** As the answer names it to Lambda. */
  readonly itemIdentifier: Id;
  /** As `handleOnce` tells it in its own events; empty when the record has none, or was not started. */
  readonly key: string;
}

/** Names of what works, and will surprise. */
export type LambdaWarning =
  'LEASE_OUTLIVES_FUNCTION' | 'NO_TIME_TO_START' | 'PARTITION_STUCK' | 'POOL_TOO_SMALL';

/** Everything that happens to a record of an invocation. Bodies, keys and values are never part of an event. */
export type LambdaRecordEvent<Id> =
  | (OfRecord<Id> & { readonly type: 'replayed'; readonly state: 'succeeded' | 'failed' })
  /** Lambda need not deliver it again. */
  | (OfRecord<Id> & { readonly type: 'settled' })
  /** Lambda is told that it failed, and delivers it again. */
  | (OfRecord<Id> & { readonly type: 'reported'; readonly reason: ReportReason; readonly error?: EventError })
  | (OfRecord<Id> & { readonly type: 'dead-lettered' })
  /** The dead-letter queue did not take it; it is reported. */
  | (OfRecord<Id> & { readonly type: 'dead-letter-error'; readonly error: EventError })
  | { readonly type: 'warning'; readonly warning: LambdaWarning; readonly message: string };
