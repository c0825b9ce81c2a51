import type { Clock } from '../lib/clock.ts';
import { BatchGroup } from '../lib/batch-group.ts';
import { coalesce, type CoalesceOptions, type Send } from '../lib/coalesce.ts';
import { StoreError } from '../words/errors.ts';
import type { Gate } from '../lib/gate.ts';
import { type Instant, now } from '../lib/instant.ts';
import { createTimedChannel } from '../lib/timed-channel.ts';
import { createReplyLimit } from './reply-in-time.ts';
import type {
  ClaimReply,
  ClaimRequest,
  ClaimTerms,
  ExtendReply,
  ExtendRequest,
  KeepRequest,
  SettleReply,
  SettleRequest,
  Store,
} from './store.ts';
import { createTakeBacks } from './take-backs.ts';
import type { Traffic } from './traffic.ts';

export interface TimedClaimReply {
  readonly reply: ClaimReply;
  /** When the statement was handed to the client: not later than the store's start of the lease. */
  readonly sentAt: Instant;
}

/** What is published of a statement: its messages share it. */
interface StatementFacts {
  readonly verb: 'claim' | 'settle' | 'extend' | 'keep';
  readonly scope: string;
  readonly messages: number;
}

const statements = createTimedChannel(
  'handle-once:statement',
  ({ verb, scope, messages }: StatementFacts, durationMs, failed) => ({
    verb,
    scope,
    messages,
    durationMs,
    failed,
  }),
);

const MAX_BATCH = 500;
/** Below it a statement's fixed cost outweighs what two halves gain: halves of 5 made 10 callers 0.85x as fast. */
const SMALLEST_HALF = 8;
/**
 * How often claims wait for one of two statements to end. Claims that have met stay together, so that callers in step
 * need it only a few times: a statement then has half of what is in flight, and not a quarter. Others lose part of a
 * round trip each time: waiting always made 300 callers with handlers of up to 10 ms 0.87x as fast over a network of
 * 1 ms.
 */
const LETTING_OTHERS_FIRST = 1 / 16;
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

function mayHaveLanded(error: unknown): boolean {
  return !(error instanceof StoreError) || error.mayHaveLanded;
}

function isLarge({ settlement }: SettleRequest): boolean {
  return settlement.kind === 'succeed' && (settlement.result?.length ?? 0) > LARGE_RESULT;
}

interface RecordsOptions {
  /** Whether concurrent calls share statements. */
  readonly batching: boolean;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly onTakenBack: (key: string) => void;
}

export type Records = ReturnType<typeof createRecords>;

/** The records of one scope, one message at a time; concurrent calls share statements where `batching` is on. */
export function createRecords(store: Store, terms: ClaimTerms, options: RecordsOptions) {
  const { batching, traffic, clock, onTakenBack } = options;
  const inTime = createReplyLimit(replyTimeoutMs(terms.leaseMs), clock);

  function answered<T>(verb: StatementFacts['verb'], messages: number, reply: Promise<T>): Promise<T> {
    const ended = statements.start(clock);
    if (ended === undefined) return inTime(reply);
    return inTime(reply, (failed) => {
      ended({ verb, scope: terms.scope, messages }, failed);
    });
  }

  function perMessage<Request extends { readonly key: string }, Reply>(
    gate: Gate,
    send: (requests: readonly Request[]) => Promise<readonly Reply[]>,
    more?: Pick<CoalesceOptions<Request, Reply>, 'group' | 'letsOthersFirst' | 'aloneGate'>,
  ): Send<Request, Reply> {
    const sent = coalesce({
      send,
      gate,
      maxBatch: MAX_BATCH,
      smallestHalf: SMALLEST_HALF,
      isolates,
      ...more,
    });
    return batching ? sent : (request) => sent(request, 'alone');
  }

  const lookup = async (key: string) => await store.lookup?.(key, terms.scope);
  const settleMany = (requests: readonly SettleRequest[]) =>
    answered('settle', requests.length, store.settle(requests, terms.scope));
  const takeBacks = createTakeBacks({ settle: settleMany, leaseMs: terms.leaseMs, clock, onTakenBack });

  /** Claims that are sent again with their tokens: their leases may have begun the first time. */
  const sentBefore = new WeakMap<ClaimRequest, Instant>();

  /** The reply after a lost claim of ours has failed the record: it is the first to report that, and no replay. */
  function firstReport({ key }: ClaimRequest, reply: ClaimReply): ClaimReply {
    return reply.kind === 'failed' && takeBacks.hasFailed(key) ? { ...reply, replayed: false } : reply;
  }

  function claimWith(claimTerms: ClaimTerms) {
    return async (requests: readonly ClaimRequest[]): Promise<TimedClaimReply[]> => {
      const sentAt = now(clock);
      const statement = store.claim(requests, claimTerms);
      try {
        const replies = await answered('claim', requests.length, statement);
        return requests.map((request, index) => ({
          reply: firstReport(request, replies[index] as ClaimReply),
          sentAt: sentBefore.get(request) ?? sentAt,
        }));
      } catch (error) {
        if (mayHaveLanded(error)) takeBacks.watchStatement(requests, statement);
        else if (isolates(error)) for (const request of requests) sentBefore.set(request, sentAt);
        throw error;
      }
    };
  }

  const group = new BatchGroup();
  const settle = perMessage(traffic.settle, settleMany, { group });
  const claim = perMessage(traffic.claim, claimWith(terms), {
    group,
    letsOthersFirst: () => clock.random() < LETTING_OTHERS_FIRST,
  });
  const claimSuspect = perMessage(traffic.claim, claimWith({ ...terms, mayOwnSuspects: true }));

  const extendMany = (requests: readonly ExtendRequest[]) =>
    answered('extend', requests.length, store.extend(requests, terms));
  const extend = perMessage(traffic.extend, extendMany, { aloneGate: traffic.extendAlone });

  const keep =
    store.keep &&
    perMessage(traffic.keep, (requests: readonly KeepRequest[]) =>
      answered('keep', requests.length, store.keep?.(requests, terms.scope) ?? Promise.resolve([])),
    );

  return {
    /** Claims a key. A claim without a reply is taken back, if it lands. */
    claim: (request: ClaimRequest): Promise<TimedClaimReply> => {
      const takenBack = takeBacks.releaseNow(request.key);
      return takenBack === undefined ? claim(request) : takenBack.then(() => claim(request));
    },
    /** The same, and it may own a suspect. */
    claimSuspect,
    settle: (request: SettleRequest, how?: 'alone'): Promise<SettleReply> =>
      traffic.trackUnanswered(() => settle(request, isLarge(request) ? 'alone' : how)),
    /** Alone for a record that a transaction is likely to hold: the heartbeats of others must not wait with it. */
    extend: (request: ExtendRequest, how?: 'alone'): Promise<ExtendReply> =>
      traffic.trackUnanswered(() => extend(request, how)),
    /** Keeps what an attempt has done. Undefined where the store cannot. */
    keep,
    /** Undoes a claim that landed and that no handler ran for. */
    takeBack: takeBacks.watch,
    /** What is on record, without a claim. Undefined where the store cannot look. */
    lookup: store.lookup && ((key: string) => inTime(lookup(key))),
    /** Throws what would keep the others from working. */
    async check(): Promise<void> {
      if (store.check !== undefined) await inTime(store.check());
    },
  };
}
