import type { HandlingEvent, KeptEvent, KeptReason } from '../../src/adapter-kit.ts';
import type { WarningEvent } from '../shared/warn.ts';

/**
 * Why a record is kept: it is reported as failed, so that Lambda delivers it again.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type LambdaKeptReason =
  | Exclude<KeptReason, 'aborted'>
  /** There was no time left to start it. Nothing is counted. */
  | 'out-of-time'
  /** An earlier one of its message group or partition is not acknowledged. Nothing is counted. */
  | 'behind'
  /** Its handler went on after its signal had aborted, when the function had to answer. */
  | 'unfinished';

/**
 * Names of findings: settings that work, but at a cost, and problems that need a person.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type LambdaWarning =
  | 'DEFERRED_IN_GROUP'
  | 'LEASE_OUTLIVES_FUNCTION'
  | 'NO_TIME_TO_START'
  | 'PARTITION_STUCK'
  | 'POOL_TOO_SMALL';

/**
 * Everything that happens to a record of an invocation. A record that is kept is reported to Lambda as failed.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type LambdaRecordEvent<Id> =
  | ((HandlingEvent | KeptEvent<LambdaKeptReason>) & {
      /** The identifier of the record in the answer to Lambda. */
      readonly itemIdentifier: Id;
    })
  | WarningEvent<LambdaWarning>;
