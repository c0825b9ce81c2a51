import type { DeliveryEvent, KeptReason as CommonReason } from '../../src/adapter-kit.ts';

/** Why a record is kept: it is reported as failed, so that Lambda delivers it again. */
export type KeptReason =
  | Exclude<CommonReason, 'aborted'>
  /** There was no time left to start it. Nothing is counted. */
  | 'out-of-time'
  /** An earlier one of its message group or partition is not settled. Nothing is counted. */
  | 'behind'
  /** Its handler went on after its signal had aborted, when the function had to answer. */
  | 'unfinished';

/** Names of what works, and will surprise. */
export type LambdaWarning =
  'LEASE_OUTLIVES_FUNCTION' | 'NO_TIME_TO_START' | 'PARTITION_STUCK' | 'POOL_TOO_SMALL';

/** Everything that happens to a record of an invocation. A record that is kept is reported to Lambda as failed. */
export type LambdaRecordEvent<Id> =
  | (DeliveryEvent<KeptReason> & {
      /** As the answer names it to Lambda. */
      readonly itemIdentifier: Id;
    })
  | { readonly type: 'warning'; readonly warning: LambdaWarning; readonly message: string };
