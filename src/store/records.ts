import { coalesce } from './coalesce.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms, ExtendReply, ExtendRequest } from './store.ts';
import type { SettleReply, SettleRequest, Store } from './store.ts';

/** The records of one scope, one message at a time; concurrent calls share statements. */
export interface Records {
  claim(request: ClaimRequest): Promise<ClaimReply>;
  settle(request: SettleRequest): Promise<SettleReply>;
  extend(request: ExtendRequest): Promise<ExtendReply>;
}

const MAX_BATCH = 500;
const SHORTEST_REPLY_TIMEOUT_MS = 1_000;

/** A third of the lease leaves time to send a lost settle or heartbeat again before the lease ends. */
function replyTimeoutMs(leaseMs: number): number {
  return Math.max(SHORTEST_REPLY_TIMEOUT_MS, leaseMs / 3);
}

export function createRecords(store: Store, terms: ClaimTerms): Records {
  const limits = { maxBatch: MAX_BATCH, replyTimeoutMs: replyTimeoutMs(terms.leaseMs) };
  return {
    claim: coalesce({ ...limits, send: (requests: readonly ClaimRequest[]) => store.claim(requests, terms) }),
    settle: coalesce({
      ...limits,
      send: (requests: readonly SettleRequest[]) => store.settle(requests, terms.scope),
    }),
    extend: coalesce({ ...limits, send: (requests: readonly ExtendRequest[]) => store.extend(requests, terms) }),
  };
}
