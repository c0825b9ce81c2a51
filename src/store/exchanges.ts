import { coalesce, type Coalescer, type CoalesceOptions } from '../lib/coalesce.ts';
import type { ClaimRequest, SettleReply, SettleRequest } from './store.ts';

/** Requests of one kind. */
interface Kind<Request extends { readonly key: string }, Reply> {
  /** How they go where they go by themselves. */
  readonly options: CoalesceOptions<Request, Reply>;
  /** Sends one with others of its kind, and never with the other kind. */
  readonly apart: (request: Request) => Promise<Reply>;
}

export interface ExchangesOptions<Claimed> {
  /** How many of each kind there have to be. */
  readonly from: number;
  /** Sends both. Where there is no reply to a request, it is sent apart. */
  readonly send: (
    claims: readonly ClaimRequest[],
    settles: readonly SettleRequest[],
  ) => Promise<{
    readonly claims: readonly (Claimed | undefined)[];
    readonly settles: readonly (SettleReply | undefined)[];
  }>;
  readonly claim: Kind<ClaimRequest, Claimed>;
  readonly settle: Kind<SettleRequest, SettleReply>;
}

export interface Exchanges<Claimed> {
  readonly claim: Coalescer<ClaimRequest, Claimed>;
  readonly settle: Coalescer<SettleRequest, SettleReply>;
}

/**
 * Claims take along the settles that wait, where there are many of both.
 *
 * Each kind keeps its queue and its limits: settles go by themselves where claims may not. Few of them go as two
 * statements side by side: one for both would cost the server more, and one message of an ordered lane, whose settle
 * goes with the claim of the next, waits less for two connections than for one.
 */
export function createExchanges<Claimed>(options: ExchangesOptions<Claimed>): Exchanges<Claimed> {
  const { from } = options;

  async function sendClaims(
    claims: readonly ClaimRequest[],
  ): Promise<readonly (Claimed | Promise<Claimed>)[]> {
    const settles = claims.length < from ? undefined : settle.takeAlong(from);
    if (settles === undefined) return await options.claim.options.send(claims);
    const sent = options.send(claims, settles.requests);
    settles.answer(
      sent.then((replies) => completed(settles.requests, replies.settles, options.settle.apart)),
    );
    return completed(claims, (await sent).claims, options.claim.apart);
  }

  const claim = coalesce({ ...options.claim.options, send: sendClaims });
  const settle = coalesce({ ...options.settle.options, beforeFlush: claim.flush });
  return { claim, settle };
}

function completed<Request, Reply>(
  requests: readonly Request[],
  replies: readonly (Reply | undefined)[],
  apart: (request: Request) => Promise<Reply>,
): (Reply | Promise<Reply>)[] {
  return requests.map((request, index) => replies[index] ?? apart(request));
}
