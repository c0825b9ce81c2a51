import type { FailedReason, ResultOmitted } from '../api/outcome.ts';

/** What all claims of one call have in common. */
export interface ClaimTerms {
  readonly scope: string;
  readonly leaseMs: number;
  /** A claim of a record with this many failures fails it instead of owning it. May be Infinity. */
  readonly maxAttempts: number;
  /** A claim that finds this many deaths in a row fails the record instead of owning it. May be Infinity. */
  readonly maxDeaths: number;
  /** How long a record stays that fails because its attempts or deaths are used up. */
  readonly failedRetentionMs: number;
  /** Whether these claims may own a suspect: a record whose last attempts died. */
  readonly mayOwnSuspects: boolean;
}

export interface ClaimRequest {
  readonly key: string;
  /** A random UUID: the fencing token of this claim. Sending a claim again with its token is harmless. */
  readonly token: string;
  /**
   * Of the payload, in hexadecimal: two digits of its version and 64 of SHA-256. Two that differ are a mismatch only
   * when their versions are the same; the empty text compares nothing, and matches any.
   */
  readonly fingerprint: string;
}

/** What the claim found. Results and errors are JSON text. */
export type ClaimReply =
  | {
      readonly kind: 'claimed';
      readonly attempts: number;
      /** How many of the attempts before this one failed. */
      readonly failures: number;
      readonly tookOver: boolean;
    }
  /** It could be claimed by a claim that may own suspects. Nothing was written. */
  | { readonly kind: 'suspect'; readonly attempts: number }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'in-flight'; readonly attempts: number; readonly retryAfterMs: number }
  | {
      readonly kind: 'released';
      readonly attempts: number;
      readonly retryAfterMs: number;
      readonly error: string | null;
    }
  | {
      readonly kind: 'succeeded';
      readonly attempts: number;
      readonly result: string | null;
      readonly resultOmitted: ResultOmitted | null;
    }
  | {
      readonly kind: 'failed';
      readonly attempts: number;
      readonly reason: FailedReason;
      readonly error: string | null;
      /** False when this very claim found the attempts used up. */
      readonly replayed: boolean;
    };

/** How an attempt ends. */
export type Settlement =
  | {
      readonly kind: 'succeed';
      readonly result: string | null;
      readonly resultOmitted: ResultOmitted | null;
      readonly retentionMs: number;
    }
  | {
      readonly kind: 'fail';
      readonly reason: FailedReason;
      readonly error: string;
      readonly retentionMs: number;
    }
  | {
      readonly kind: 'release';
      readonly error: string | null;
      readonly retryAfterMs: number;
      /** Whether the attempt is not counted: it did not start, or it was interrupted. */
      readonly uncounted: boolean;
    };

export interface SettleRequest {
  readonly key: string;
  readonly token: string;
  readonly settlement: Settlement;
}

/** `lost`: the record belongs to another token now, or is gone. Nothing was written. */
export type SettleReply = 'settled' | 'lost';

export interface ExtendRequest {
  readonly key: string;
  readonly token: string;
}

export type ExtendReply = 'extended' | 'lost';

/**
 * Where records live. Every verb takes many requests with distinct keys and answers each, in their order.
 *
 * A store promises: the claim is atomic; only the store's clock decides; a write after the claim happens for the
 * token that owns the record, and for no other; a settle sent again with the token that settled answers `settled`; a
 * record that is claimed again has the fingerprint of that claim. What each end of an attempt does to the record's
 * counters is the table in docs/attempts.md. It throws `StoreError` or `SchemaError`, and nothing else.
 */
export interface Store {
  claim(requests: readonly ClaimRequest[], terms: ClaimTerms): Promise<readonly ClaimReply[]>;
  settle(requests: readonly SettleRequest[], scope: string): Promise<readonly SettleReply[]>;
  extend(
    requests: readonly ExtendRequest[],
    terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
  ): Promise<readonly ExtendReply[]>;
  /** One read that throws what would keep the other verbs from working. A store that is always ready needs none. */
  check?(): Promise<void>;
}
