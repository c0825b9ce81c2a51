import { InvalidOptionsError } from '../../../src/index.ts';
import { type Kept, meaningOf, type Verdict } from '../../../src/adapter-kit.ts';

/** Whether nothing but a person gets the partition past a message. */
export function isStuck<Reason extends string>(verdict: Verdict<Reason>): verdict is Kept<Reason> {
  if (verdict.acknowledge) return false;
  const { reason, error } = verdict;
  // One of the user's functions breaks its type: it does so for the next delivery too.
  return meaningOf(reason).verb === 'dead-letter-or-keep' || error instanceof InvalidOptionsError;
}
