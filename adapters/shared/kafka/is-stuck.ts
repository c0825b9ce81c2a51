import { InvalidOptionsError } from '../../../src/index.ts';
import type { Kept, Verdict } from '../../../src/adapter-kit.ts';

/** Whether nothing but a person gets the partition past a message. */
export function isStuck<Reason extends string>(verdict: Verdict<Reason>): verdict is Kept<Reason> {
  if (verdict.acknowledge) return false;
  const { reason, error } = verdict;
  // One of the user's functions breaks its type: it does so for the next delivery too.
  return reason === 'mismatch' || reason === 'invalid-key' || error instanceof InvalidOptionsError;
}
