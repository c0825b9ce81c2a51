import type { ClaimTerms } from '../../../src/store/store.ts';
import { ALICE, type Actor, LEASE, TERMS } from './actor.ts';

/** An attempt whose worker dies. */
export async function die(actor: Actor, terms: Partial<Omit<ClaimTerms, 'scope'>> = {}): Promise<void> {
  await actor.claim('key', ALICE, terms);
  await actor.advance(LEASE);
}

/** The next claim finds the deaths used up. */
export async function exhaustByDeaths(actor: Actor): Promise<void> {
  for (let death = 1; death <= TERMS.maxDeaths; death += 1) await die(actor, { mayOwnSuspects: true });
}
