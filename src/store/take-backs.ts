import type { Clock } from '../lib/clock.ts';
import { retryWait } from '../lib/retry.ts';
import { delay } from '../lib/wait.ts';
import type { ClaimReply, ClaimRequest, SettleReply, SettleRequest } from './store.ts';

interface TakeBackOptions {
  readonly settle: (requests: readonly SettleRequest[]) => Promise<readonly SettleReply[]>;
  /** How long a claim is looked for: when it lands after that, it counts as a death one lease later. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly onTakenBack: (key: string) => void;
}

interface Pending {
  readonly key: string;
  readonly token: string;
  /** On the monotonic clock. */
  until: number;
  /** Of a claim that found a limit reached, and so failed its record: there is nothing to release. */
  failure?: 'found' | 'reported';
}

const MAX_PENDING = 10_000;
const MAX_BATCH = 500;
const PAUSES = { baseMs: 50, maxMs: 1_000 };

/**
 * Takes back claims that no handler runs for, so that they count nothing and hold no message.
 *
 * A claim whose reply is lost may land later than a release that finds nothing. So the release is sent again until it
 * finds the claim, or until one lease has passed since the statement ended. Each token is in one statement only, so
 * that a claim which was taken back does not land again.
 */
export function createTakeBacks({ settle, leaseMs, clock, onTakenBack }: TakeBackOptions) {
  const pending = new Map<string, Pending[]>();
  let count = 0;
  let isSweeping = false;

  /** Takes back a claim that may have landed. */
  function watch({ key, token }: Pick<ClaimRequest, 'key' | 'token'>): void {
    const until = clock.monotonic() + leaseMs;
    const ofKey = pending.get(key) ?? [];
    const known = ofKey.find((claim) => claim.token === token);
    if (known !== undefined) {
      known.until = until;
      return;
    }
    if (count >= MAX_PENDING) forgetOldest();
    pending.set(key, [...ofKey, { key, token, until }]);
    count += 1;
    if (!isSweeping) void sweep();
  }

  function forgetOldest(): void {
    const [oldest] = pending.values();
    if (oldest?.[0] !== undefined) forget(oldest[0]);
  }

  /** Whether it was still looked for. */
  function forget({ key, token }: Pick<ClaimRequest, 'key' | 'token'>): boolean {
    const ofKey = pending.get(key) ?? [];
    const others = ofKey.filter((claim) => claim.token !== token);
    if (others.length > 0) pending.set(key, others);
    else pending.delete(key);
    count -= ofKey.length - others.length;
    return others.length < ofKey.length;
  }

  function all(): Pending[] {
    return [...pending.values()].flat();
  }

  function forgetUntil(time: number): void {
    for (const claim of all()) if (claim.until <= time) forget(claim);
  }

  async function sweep(): Promise<void> {
    isSweeping = true;
    for (let sweeps = 1; count > 0; sweeps += 1) {
      // Not the time of the reply: claims added since were not part of the release.
      const askedAt = clock.monotonic();
      if (await isAnswered(release(all()))) forgetUntil(askedAt);
      if (count > 0) await delay(clock, retryWait(PAUSES, sweeps), { keepsAlive: false });
    }
    isSweeping = false;
  }

  async function release(claims: readonly Pending[]): Promise<void> {
    const [batch, rest] = oneOfEachKey(claims.filter(({ failure }) => failure === undefined));
    if (batch.length === 0) return;
    const replies = await settle(batch.map(toRelease));
    batch.forEach((claim, index) => {
      if (replies[index] === 'failed') claim.failure ??= 'found';
      if (replies[index] === 'settled' && forget(claim)) onTakenBack(claim.key);
    });
    if (rest.length > 0) await release(rest);
  }

  return {
    watch,
    /** Watches a statement that was given up on: what of its claims has landed, or lands later, is taken back. */
    watchStatement(claims: readonly ClaimRequest[], statement: Promise<readonly ClaimReply[]>): void {
      claims.forEach(watch);
      void statement.then(
        (replies) => {
          claims.forEach((claim, index) => {
            // It has landed by now, or it never does.
            if (hasWritten(replies[index])) watch(claim);
            else forget(claim);
          });
        },
        () => {
          claims.forEach(watch);
        },
      );
    },
    /**
     * Takes back at once what has landed of a key's claims, if there are any. Rejects when the store does not answer:
     * the key must not be claimed then, or the new claim would find the lost one and count it as a death.
     */
    releaseNow(key: string): Promise<void> | undefined {
      const claims = pending.get(key);
      return claims && release(claims);
    },
    /** Whether one of the key's lost claims has failed the record. True once: the caller reports it. */
    hasFailed(key: string): boolean {
      const claim = pending.get(key)?.find(({ failure }) => failure === 'found');
      if (claim !== undefined) claim.failure = 'reported';
      return claim !== undefined;
    },
  };
}

function hasWritten(reply: ClaimReply | undefined): boolean {
  return reply?.kind === 'claimed' || (reply?.kind === 'failed' && !reply.replayed);
}

/** While the store is out of reach nothing shows what has landed. Claims and settles report that. */
function isAnswered(release: Promise<void>): Promise<boolean> {
  return release.then(
    () => true,
    () => false,
  );
}

/** A statement takes each key once, and a bounded number of them. */
function oneOfEachKey(claims: readonly Pending[]): [batch: Pending[], rest: Pending[]] {
  const batch = new Map<string, Pending>();
  const rest: Pending[] = [];
  for (const claim of claims) {
    if (batch.size < MAX_BATCH && !batch.has(claim.key)) batch.set(claim.key, claim);
    else rest.push(claim);
  }
  return [[...batch.values()], rest];
}

function toRelease({ key, token }: Pending): SettleRequest {
  return {
    key,
    token,
    settlement: { kind: 'release', error: null, retryAfterMs: 0, countsAs: 'interruption' },
  };
}
