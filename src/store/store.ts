import type { FailedReason, ResultOmitted } from '../words/outcome.ts';

/** What all claims of one call have in common. */
export interface ClaimTerms {
  /** Namespace of all keys of the call: 1 to 1,024 bytes of UTF-8. */
  readonly scope: string;
  /** Milliseconds, by the clock of the store, until another claim may take the record over. */
  readonly leaseMs: number;
  /** A claim of a record with this many failures fails it instead of owning it. May be Infinity. */
  readonly maxAttempts: number;
  /** A claim that finds this many deaths in a row fails the record instead of owning it. May be Infinity. */
  readonly maxDeaths: number;
  /** How long a record stays that fails because its attempts or deaths are used up. */
  readonly failedRetentionMs: number;
  /** Whether these claims may own a suspect: a record with deaths in its last attempts. */
  readonly mayOwnSuspects: boolean;
}

/** A message to claim. */
export interface ClaimRequest {
  /** Of one message in the scope. Keys of one call differ. */
  readonly key: string;
  /**
   * A UUID, the fencing token of this claim: 8 digits of its process, and the others random. May be sent again only
   * after a refusal that wrote nothing.
   */
  readonly token: string;
  /**
   * Of the payload, in hexadecimal: two digits of its version and 64 of SHA-256. Two that differ are a mismatch only
   * when their versions are the same; the empty text compares nothing, and matches any.
   */
  readonly fingerprint: string;
}

interface Counted {
  /** Attempts on record, including a running one; uncounted ones are subtracted again. */
  readonly attempts: number;
}

interface Waiting extends Counted {
  /** Milliseconds until another claim can own the record. */
  readonly retryAfterMs: number;
}

interface Result {
  /** JSON text. Null if it was undefined, or if `resultOmitted` says why it is missing. */
  readonly result: string | null;
  /** Null where nothing was omitted. */
  readonly resultOmitted: ResultOmitted | null;
}

/** What is on record for a key. */
export type LookupReply =
  | (Waiting & { readonly kind: 'in-flight' })
  | (Waiting & {
      readonly kind: 'released';
      /** The last on record, as JSON text. Null if there is no error. */
      readonly error: string | null;
    })
  | (Counted & Result & { readonly kind: 'succeeded' })
  | (Counted & {
      readonly kind: 'failed';
      /** As settled, or which limit a claim found reached. */
      readonly reason: FailedReason;
      /** The last on record, as JSON text. Null if there is no error. */
      readonly error: string | null;
      /** False if this claim itself found the attempts used up. */
      readonly replayed: boolean;
      /** The token whose lapsed lease was one death too many, where this claim found that. */
      readonly deadToken?: string;
    })
  /** In a state that this version does not know: a newer one may have written it. */
  | (Counted & { readonly kind: 'unreadable' });

/** What the claim found. */
export type ClaimReply =
  | LookupReply
  | (Counted & {
      readonly kind: 'claimed';
      /** How many of the attempts before this one failed. */
      readonly failures: number;
      /** Milliseconds since the first claim of this life of the key, by the clock of the store. */
      readonly ageMs: number;
      /** The token whose lapsed lease this claim took over. Null if it took over none. */
      readonly deadToken: string | null;
      /** The steps that earlier attempts have kept, as JSON text. Absent without steps. */
      readonly steps?: string;
    })
  /** It could be claimed by a claim that may own suspects. Nothing was written. */
  | (Counted & { readonly kind: 'suspect' })
  | { readonly kind: 'mismatch' };

interface Expiring {
  /** Milliseconds from now after which the record counts as absent. */
  readonly retentionMs: number;
}

/** How an attempt ends. */
export type Settlement =
  | (Result & Expiring & { readonly kind: 'succeed' })
  | (Expiring & {
      readonly kind: 'fail';
      /** Kept for replays. */
      readonly reason: FailedReason;
      /** JSON text, kept for replays. */
      readonly error: string;
    })
  | {
      readonly kind: 'release';
      /** JSON text. Null keeps the one on record. */
      readonly error: string | null;
      /** Milliseconds from now until the next claim can own the record. */
      readonly retryAfterMs: number;
      /**
       * A `failure` is counted, and ends the deaths in a row. The others leave no attempt: a `deferral` ends the deaths
       * too, an `interruption` changes no other counter.
       */
      readonly countsAs: 'failure' | 'deferral' | 'interruption';
    };

/** The end of an attempt, to be put on record. */
export interface SettleRequest {
  /** Keys of one call differ. */
  readonly key: string;
  /** The token of the claim. With another the reply is `lost`. */
  readonly token: string;
  /** What the record becomes. */
  readonly settlement: Settlement;
}

/**
 * `lost`: the record belongs to another token now, or no longer exists. `failed`: there is nothing to release, because
 * the record failed under this token, for example by a claim that found a limit reached. `locked`: another transaction
 * has locked the record, perhaps for a long time. Nothing was written.
 */
export type SettleReply = 'settled' | 'lost' | 'failed' | 'locked';

/** A heartbeat: the lease begins again now. */
export interface ExtendRequest {
  /** Keys of one call differ. */
  readonly key: string;
  /** The token of the claim. With another the reply is `lost`. */
  readonly token: string;
}

/**
 * `lost`: the record is settled, belongs to another token now, or no longer exists. `locked`: another transaction has
 * locked the record, perhaps for a long time. Nothing was written.
 */
export type ExtendReply = 'extended' | 'lost' | 'locked';

/** What an attempt has done, for those after it. */
export interface KeepRequest {
  /** Keys of one call differ. */
  readonly key: string;
  /** The token of the claim. With another the reply is `lost`. */
  readonly token: string;
  /** JSON text. Replaces what was kept before. */
  readonly steps: string;
}

/** As for a heartbeat. */
export type KeepReply = 'kept' | 'lost' | 'locked';

/**
 * Where records live. Every verb takes many requests with distinct keys and answers each, in their order.
 *
 * A store promises: the claim is atomic; only the store's clock decides; after the claim, only the token that owns the
 * record can write; a settle sent again with the token that settled answers `settled`, or `failed` where it is a
 * release of a failed record; a record that is claimed again has the fingerprint of that claim, but one without a
 * fingerprint stays without until it expires; a record that another transaction has locked does not delay other
 * records, and delays its own caller only shortly. What each end of an attempt does to the record's counters is the
 * table in docs/tuning.md. It throws only `StoreError` or `SchemaError`. `storeContract` of `handle-once/contracts`
 * tests your own.
 */
export interface Store {
  /** Makes the token of each request the owner of its record, or answers why not. Each key is one atomic step. */
  claim(requests: readonly ClaimRequest[], terms: ClaimTerms): Promise<readonly ClaimReply[]>;
  /** Ends attempts whose tokens own their records. Resolves when that is durable. */
  settle(requests: readonly SettleRequest[], scope: string): Promise<readonly SettleReply[]>;
  /** Moves the ends of leases to `leaseMs` from now, or leaves them where they are later. */
  extend(
    requests: readonly ExtendRequest[],
    terms: Pick<ClaimTerms, 'scope' | 'leaseMs'>,
  ): Promise<readonly ExtendReply[]>;
  /**
   * Keeps steps until the record succeeds, expires or is forgotten: each claim of it gives them. Resolves when that is
   * durable. A text of fewer bytes than the one on record changes nothing, and is answered `kept`: it is a late
   * request. Needed only by `attempt.step`.
   */
  keep?(requests: readonly KeepRequest[], scope: string): Promise<readonly KeepReply[]>;
  /**
   * What is on record for a key, without a claim: undefined if there is no record, or it has expired. A pending record
   * that is free to run waits for 0 ms. Needed only by `handleOnce.lookup`.
   */
  lookup?(key: string, scope: string): Promise<LookupReply | undefined>;
  /** One read that throws if the other verbs cannot work. A store that is always ready does not need it. */
  check?(): Promise<void>;
}
