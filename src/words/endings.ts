import type { PendingReason } from './outcome.ts';

/** Why a delivery has no outcome. Its handler did not run. */
export type RefusedReason = 'mismatch' | 'invalid-key' | 'store-error' | 'aborted' | 'error';

/** How the handling of a delivery ended, in one word. */
export type Ending = 'succeeded' | 'failed' | PendingReason | RefusedReason;

/** What an ending means. */
interface Meaning {
  /**
   * What its broker is told. `as-chosen`: what the option `onFailed` says. `dead-letter-or-keep`: it needs a person,
   * and is never passed in silence, since it may be a message that no handler has seen.
   */
  readonly verb: 'acknowledge' | 'as-chosen' | 'dead-letter-or-keep' | 'keep';
  /** Whether another worker runs the message. `maybe`: what reaches it at the broker may be that worker's. */
  readonly elsewhere: 'no' | 'yes' | 'maybe';
  /** Whether the store has done its part. Undefined where that is not known. */
  readonly storeAnswered: boolean | undefined;
}

/** The one table: every ending, and what it means to those who act on it. */
export const ENDINGS = {
  succeeded: { verb: 'acknowledge', elsewhere: 'no', storeAnswered: true },
  failed: { verb: 'as-chosen', elsewhere: 'no', storeAnswered: true },
  'in-flight': { verb: 'keep', elsewhere: 'yes', storeAnswered: true },
  released: { verb: 'keep', elsewhere: 'no', storeAnswered: true },
  suspect: { verb: 'keep', elsewhere: 'no', storeAnswered: true },
  'lease-lost': { verb: 'keep', elsewhere: 'maybe', storeAnswered: true },
  unrecorded: { verb: 'keep', elsewhere: 'maybe', storeAnswered: false },
  mismatch: { verb: 'dead-letter-or-keep', elsewhere: 'no', storeAnswered: undefined },
  'invalid-key': { verb: 'dead-letter-or-keep', elsewhere: 'no', storeAnswered: undefined },
  'store-error': { verb: 'keep', elsewhere: 'no', storeAnswered: false },
  aborted: { verb: 'keep', elsewhere: 'no', storeAnswered: undefined },
  error: { verb: 'keep', elsewhere: 'no', storeAnswered: undefined },
} as const satisfies Record<Ending, Meaning>;

/** The endings of which a broker is told this. */
export type EndingWith<Verb extends Meaning['verb']> = {
  [Each in Ending]: (typeof ENDINGS)[Each]['verb'] extends Verb ? Each : never;
}[Ending];

/** Whether a broker is told this of an ending. */
export function hasVerb<Verb extends Meaning['verb']>(
  ending: Ending,
  verb: Verb,
): ending is EndingWith<Verb> {
  return ENDINGS[ending].verb === verb;
}

/** What a reason means. One that is no ending, such as an adapter's own, means no more than an error. */
export function meaningOf(reason: string): Meaning {
  return (ENDINGS as Readonly<Partial<Record<string, Meaning>>>)[reason] ?? ENDINGS.error;
}
