import type { ClaimReply, ClaimRequest, ClaimTerms, Store } from '../../../src/store.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createRecords, type Records } from '../../../src/store/records.ts';
import { trafficOf } from '../../../src/store/traffic.ts';

/** Records whose claims are answered without the time at which they were sent. */
export function recordsOf(
  store: Store,
  terms: ClaimTerms,
  { batching = true, clock = systemClock } = {},
): Omit<Records, 'claim'> & { claim(request: ClaimRequest): Promise<ClaimReply> } {
  const options = { batching, traffic: trafficOf(store), clock, onTakenBack: () => undefined };
  const records = createRecords(store, terms, options);
  return { ...records, claim: async (request) => (await records.claim(request)).reply };
}
