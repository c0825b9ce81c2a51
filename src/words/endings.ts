import {
  AbortedError,
  InvalidKeyError,
  PayloadMismatchError,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from './errors.ts';
import type { Outcome, PendingReason } from './outcome.ts';

/** Why a delivery has no outcome. */
type RefusedReason = 'mismatch' | 'invalid-key' | 'store-error' | 'aborted' | 'error';

/** A delivery without an outcome: its message may not be done. */
export interface Refused {
  readonly state: 'refused';
  /** In one word. */
  readonly reason: RefusedReason;
  /** What was thrown. */
  readonly error: unknown;
}

/** The result of a delivery. */
export type Handled<R> = Outcome<R> | Refused;

/** The refusal for an error. */
export function refused(error: unknown): Refused {
  return { state: 'refused', reason: refusedReason(error), error };
}

function refusedReason(error: unknown): RefusedReason {
  if (error instanceof PayloadMismatchError) return 'mismatch';
  // The option `fingerprint` can choose a part that has no fingerprint.
  if (error instanceof InvalidKeyError || error instanceof UnhashablePayloadError) return 'invalid-key';
  if (error instanceof StoreError || error instanceof SchemaError) return 'store-error';
  return error instanceof AbortedError ? 'aborted' : 'error';
}

/** How the handling of a delivery ended, in one word. */
export type Ending = 'succeeded' | 'failed' | PendingReason | RefusedReason;

export function endingOf(handled: Handled<unknown>): Ending {
  const { state } = handled;
  const ending = state === 'pending' || state === 'refused' ? handled.reason : state;
  // The engine can be of another version of this package.
  return Object.hasOwn(ENDINGS, ending) ? ending : 'error';
}

/** What an ending means. */
interface Meaning {
  /**
   * What is done at the broker. `as-chosen`: what the option `onFailed` says. `dead-letter-or-keep`: it needs a person,
   * and is never passed in silence, since it may be a message that no handler has seen.
   */
  readonly verb: 'acknowledge' | 'as-chosen' | 'dead-letter-or-keep' | 'keep';
  /** Whether another worker runs the message. `maybe`: what reaches it at the broker may be that worker's. */
  readonly elsewhere?: 'yes' | 'maybe';
  /** Whether the store has done its part. Undefined where that is not known. */
  readonly storeAnswered?: boolean;
}

/** The one table: every ending, and what it means. */
const ENDINGS = {
  succeeded: { verb: 'acknowledge', storeAnswered: true },
  failed: { verb: 'as-chosen', storeAnswered: true },
  'in-flight': { verb: 'keep', elsewhere: 'yes', storeAnswered: true },
  released: { verb: 'keep', storeAnswered: true },
  deferred: { verb: 'keep', storeAnswered: true },
  suspect: { verb: 'keep', storeAnswered: true },
  'lease-lost': { verb: 'keep', elsewhere: 'maybe', storeAnswered: true },
  unrecorded: { verb: 'keep', elsewhere: 'maybe', storeAnswered: false },
  mismatch: { verb: 'dead-letter-or-keep', storeAnswered: true },
  'invalid-key': { verb: 'dead-letter-or-keep' },
  'store-error': { verb: 'keep', storeAnswered: false },
  aborted: { verb: 'keep' },
  error: { verb: 'keep' },
} as const satisfies Record<Ending, Meaning>;

/** The endings with a verb. */
type EndingWith<Verb extends Meaning['verb']> = {
  [Each in Ending]: (typeof ENDINGS)[Each]['verb'] extends Verb ? Each : never;
}[Ending];

/** Whether an ending has a verb. */
export function hasVerb<Verb extends Meaning['verb']>(
  ending: Ending,
  verb: Verb,
): ending is EndingWith<Verb> {
  return ENDINGS[ending].verb === verb;
}

/** What a reason means. One that is no ending, such as a reason of an adapter, means the same as an error. */
export function meaningOf(reason: string): Meaning {
  return (ENDINGS as Readonly<Partial<Record<string, Meaning>>>)[reason] ?? ENDINGS.error;
}
