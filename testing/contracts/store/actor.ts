import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Rule } from '../contract-case.ts';
import type {
  ClaimReply,
  ClaimTerms,
  ExtendReply,
  KeepReply,
  LookupReply,
  Settlement,
  SettleReply,
  Store,
} from '../../../src/store/store.ts';

/** A store whose clock a test can move. */
export interface ControlledStore {
  /** What is tested. */
  readonly store: Store;
  /**
   * Lets milliseconds pass for the records of a scope: they are older, and leases, backoffs and retentions come closer
   * to their end. For a store that decides by the clock of a server, move the times of those records back.
   *
   * A promise that it returns is waited for.
   */
  readonly advance: (scope: string, milliseconds: number) => unknown;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Tokens of three workers. */
export const ALICE = '0000000a-0000-4000-8000-00000000000a';
export const BOB = '0000000b-0000-4000-8000-00000000000b';
export const CAROL = '0000000c-0000-4000-8000-00000000000c';

export const PAYLOAD = `01${'a1'.repeat(32)}`;
export const OTHER_PAYLOAD = `01${'b2'.repeat(32)}`;
/** Fingerprints that compare with neither: of another version, and none at all. */
export const OTHER_VERSION = `02${'b2'.repeat(32)}`;
export const NO_FINGERPRINT = '';

export const LEASE = MINUTE;
export const TERMS = {
  leaseMs: LEASE,
  maxAttempts: 3,
  maxDeaths: 5,
  failedRetentionMs: HOUR,
  mayOwnSuspects: false,
};

type ClaimOptions = Partial<Omit<ClaimTerms, 'scope'>> & { readonly fingerprint?: string };

/** The verbs of a store for one key at a time, in a scope that no other case uses. */
export interface Actor {
  readonly store: Store;
  readonly scope: string;
  claim(key: string, token: string, options?: ClaimOptions): Promise<ClaimReply>;
  settle(key: string, token: string, settlement: Settlement): Promise<SettleReply>;
  extend(key: string, token: string, leaseMs?: number): Promise<ExtendReply>;
  keep(key: string, token: string, steps: string): Promise<KeepReply>;
  lookup(key: string): Promise<LookupReply | undefined>;
  advance(milliseconds: number): Promise<void>;
  /** The same store in another scope. */
  inScope(other: string): Actor;
}

/** What stores promise of one kind. */
export type StoreRule = Rule<Actor>;

export function actorOn(controlled: ControlledStore, scope: string = randomUUID()): Actor {
  const { store } = controlled;
  return {
    store,
    scope,
    async claim(key, token, { fingerprint = PAYLOAD, ...terms } = {}) {
      return only(await store.claim([{ key, token, fingerprint }], { scope, ...TERMS, ...terms }));
    },
    async settle(key, token, settlement) {
      return only(await store.settle([{ key, token, settlement }], scope));
    },
    async extend(key, token, leaseMs = LEASE) {
      return only(await store.extend([{ key, token }], { scope, leaseMs }));
    },
    async keep(key, token, steps) {
      if (store.keep === undefined) throw new Error('the store has no keep');
      return only(await store.keep([{ key, token, steps }], scope));
    },
    async lookup(key) {
      if (store.lookup === undefined) throw new Error('the store has no lookup');
      return await store.lookup(key, scope);
    },
    async advance(milliseconds) {
      await controlled.advance(scope, milliseconds);
    },
    inScope: (other) => actorOn(controlled, other),
  };
}

function only<Reply>(replies: readonly Reply[]): Reply {
  const [reply] = replies;
  if (reply === undefined || replies.length !== 1) throw new Error(`1 request got ${replies.length} replies`);
  return reply;
}

/** The record was first claimed so long before: the time of the test itself may be added. */
export function aged(reply: ClaimReply, atLeast: number): void {
  const age: unknown = reply.kind === 'claimed' ? reply.ageMs : undefined;
  const isWithin = Number.isInteger(age) && (age as number) >= atLeast && (age as number) < atLeast + HOUR;
  assert.ok(isWithin, `ageMs is ${String(age)}, and not a whole number of ${atLeast} or a little more`);
}

/** The reply says to wait, for a whole number of milliseconds: more than one time, and no more than another. */
export function waits(reply: object | undefined, above: number, atMost: number): void {
  const wait: unknown = reply !== undefined && 'retryAfterMs' in reply ? reply.retryAfterMs : undefined;
  const isWithin = Number.isInteger(wait) && (wait as number) > above && (wait as number) <= atMost;
  assert.ok(
    isWithin,
    `retryAfterMs is ${String(wait)}, and not a whole number above ${above} and up to ${atMost}`,
  );
}
