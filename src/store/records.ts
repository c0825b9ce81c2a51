import { createAlarm } from '../alarm.ts';
import { coalesce } from '../coalesce.ts';
import { StoreError } from '../errors.ts';
import { replyInTime } from './reply-in-time.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms, ExtendReply, ExtendRequest } from './store.ts';
import type { SettleReply, SettleRequest, Store } from './store.ts';

/** The records of one scope, one message at a time; concurrent calls share statements. */
export interface Records {
  claim(request: ClaimRequest): Promise<ClaimReply>;
  settle(request: SettleRequest): Promise<SettleReply>;
  extend(request: ExtendRequest): Promise<ExtendReply>;
}

const MAX_BATCH = 500;
/** Below it a statement's fixed cost outweighs what two halves gain: halves of 5 made 10 callers 0.85x as fast. */
const SMALLEST_HALF = 8;
const SHORTEST_REPLY_TIMEOUT_MS = 1_000;

/** A third of the lease leaves time to send a lost settle or heartbeat again before the lease ends. */
function replyTimeoutMs(leaseMs: number): number {
  return Math.max(SHORTEST_REPLY_TIMEOUT_MS, leaseMs / 3);
}

/** One row that the database cannot take must not hurt its neighbours. */
function isolates(error: unknown): boolean {
  return error instanceof StoreError && error.dataRefused;
}

export function createRecords(store: Store, terms: ClaimTerms): Records {
  const timeoutMs = replyTimeoutMs(terms.leaseMs);
  const alarm = createAlarm(timeoutMs);
  const shared = <Request extends { readonly key: string }, Reply>(
    send: (requests: readonly Request[]) => Promise<readonly Reply[]>,
  ) =>
    coalesce({
      send: (requests: readonly Request[]) => replyInTime(send(requests), alarm, timeoutMs),
      maxBatch: MAX_BATCH,
      smallestHalf: SMALLEST_HALF,
      isolates,
    });
  return {
    claim: shared((requests: readonly ClaimRequest[]) => store.claim(requests, terms)),
    settle: shared((requests: readonly SettleRequest[]) => store.settle(requests, terms.scope)),
    extend: shared((requests: readonly ExtendRequest[]) => store.extend(requests, terms)),
  };
}
