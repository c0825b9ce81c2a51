import { createAlarm } from '../alarm.ts';
import { coalesce } from '../coalesce.ts';
import { StoreError } from '../errors.ts';
import { replyInTime } from './reply-in-time.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms, ExtendReply, ExtendRequest } from './store.ts';
import type { SettleReply, SettleRequest, Store } from './store.ts';

/** The records of one scope, one message at a time; concurrent calls share statements unless told otherwise. */
export interface Records {
  claim(request: ClaimRequest): Promise<ClaimReply>;
  settle(request: SettleRequest): Promise<SettleReply>;
  extend(request: ExtendRequest): Promise<ExtendReply>;
}

const MAX_BATCH = 500;
/** Below it a statement's fixed cost outweighs what two halves gain: halves of 5 made 10 callers 0.85x as fast. */
const SMALLEST_HALF = 8;
/** Characters. A larger result takes longer to send than a round trip: others must not wait for it. */
const LARGE_RESULT = 16_384;
const SHORTEST_REPLY_TIMEOUT_MS = 1_000;

/** A third of the lease leaves time to send a lost settle or heartbeat again before the lease ends. */
function replyTimeoutMs(leaseMs: number): number {
  return Math.max(SHORTEST_REPLY_TIMEOUT_MS, leaseMs / 3);
}

/** One row that the database cannot take must not hurt its neighbours. */
function isolates(error: unknown): boolean {
  return error instanceof StoreError && error.dataRefused;
}

function isLarge({ settlement }: SettleRequest): boolean {
  return settlement.kind === 'succeed' && (settlement.result?.length ?? 0) > LARGE_RESULT;
}

export interface RecordsOptions {
  /** Whether concurrent calls share statements. */
  readonly batching: boolean;
}

export function createRecords(store: Store, terms: ClaimTerms, { batching }: RecordsOptions): Records {
  const timeoutMs = replyTimeoutMs(terms.leaseMs);
  const alarm = createAlarm(timeoutMs);

  function perMessage<Request extends { readonly key: string }, Reply>(
    ask: (requests: readonly Request[]) => Promise<readonly Reply[]>,
    isAlone: (request: Request) => boolean = () => false,
  ): (request: Request) => Promise<Reply> {
    const send = (requests: readonly Request[]) => replyInTime(ask(requests), alarm, timeoutMs);
    const alone = async (request: Request): Promise<Reply> => (await send([request]))[0] as Reply;
    if (!batching) return alone;
    const together = coalesce({ send, maxBatch: MAX_BATCH, smallestHalf: SMALLEST_HALF, isolates });
    return (request) => (isAlone(request) ? alone(request) : together(request));
  }

  return {
    claim: perMessage((requests: readonly ClaimRequest[]) => store.claim(requests, terms)),
    settle: perMessage((requests: readonly SettleRequest[]) => store.settle(requests, terms.scope), isLarge),
    extend: perMessage((requests: readonly ExtendRequest[]) => store.extend(requests, terms)),
  };
}
