import assert from 'node:assert/strict';
import { equals, matches } from '../../testing/assertions.ts';
import type { ClaimReply, ClaimRequest, Exchange, SettleReply, SettleRequest } from '../store.ts';
import {
  type Actor,
  ALICE,
  BOB,
  CAROL,
  LEASE,
  OTHER_PAYLOAD,
  PAYLOAD,
  type StoreRule,
  TERMS,
} from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

const CALLERS = 10;

/** Of a store that can do claims and settles in one step. */
export const EXCHANGE: StoreRule = {
  rule: 'an exchange does what claim and settle do, or leaves a request without an answer and nothing written for it',
  cases: {
    async 'an exchange is for so many requests of each kind as it says'({ store }) {
      const from = store.exchange?.from;
      assert.ok(Number.isInteger(from) && Number(from) >= 1, `from is ${String(from)}, and not 1 or more`);
      return Promise.resolve();
    },

    async 'claims and settles of one exchange are answered each, in their order'(actor) {
      for (const key of ['a', 'b', 'c', 'owned', 'another payload']) await actor.claim(key, ALICE);
      for (const [key, settlement] of [
        ['succeeded', succeeded('"s"')],
        ['failed', failed('{"message":"f"}')],
        ['released', released('{"message":"r"}', LEASE)],
      ] as const) {
        await actor.claim(key, ALICE);
        await actor.settle(key, ALICE, settlement);
      }
      const keys = ['succeeded', 'absent', 'owned', 'failed', 'released', 'new'];
      const { claims, settles } = await exchanged(
        actor,
        [...keys.map((key) => claimOf(key, BOB)), claimOf('another payload', BOB, OTHER_PAYLOAD)],
        [
          { key: 'c', token: ALICE, settlement: released('{"message":"c"}', LEASE) },
          { key: 'none', token: ALICE, settlement: succeeded() },
          { key: 'a', token: ALICE, settlement: succeeded('"a"') },
          { key: 'b', token: ALICE, settlement: failed('{"message":"b"}') },
        ],
      );
      matches(claims, [
        { kind: 'succeeded', result: '"s"' },
        { kind: 'claimed', attempts: 1, failures: 0, deadToken: null },
        { kind: 'in-flight' },
        { kind: 'failed', error: '{"message":"f"}', replayed: true },
        { kind: 'released', error: '{"message":"r"}' },
        { kind: 'claimed', attempts: 1, failures: 0, deadToken: null },
        { kind: 'mismatch' },
      ]);
      equals(settles, ['settled', 'lost', 'settled', 'settled']);
      matches(await actor.claim('a', BOB), { kind: 'succeeded', result: '"a"' });
      matches(await actor.claim('b', BOB), { kind: 'failed', error: '{"message":"b"}' });
      matches(await actor.claim('c', BOB), { kind: 'released', error: '{"message":"c"}' });
      equals(await actor.settle('new', BOB, succeeded()), 'settled');
    },

    async 'a settle of an exchange changes the record of the token that owns it, and no other'(actor) {
      await actor.claim('zombie', ALICE);
      await actor.advance(LEASE);
      matches(await actor.claim('zombie', BOB), { kind: 'claimed', deadToken: ALICE });
      const { settles } = await exchanged(
        actor,
        [claimOf('new', BOB)],
        [{ key: 'zombie', token: ALICE, settlement: succeeded('"late"') }],
      );
      equals(settles, ['lost']);
      equals(await actor.settle('zombie', BOB, succeeded('"own"')), 'settled');
      matches(await actor.claim('zombie', CAROL), { kind: 'succeeded', result: '"own"' });
    },

    async 'a settle that is sent again by an exchange is settled, and changes nothing'(actor) {
      await actor.claim('key', ALICE);
      const settle = (result: string) =>
        exchanged(
          actor,
          [claimOf(`beside ${result}`, BOB)],
          [{ key: 'key', token: ALICE, settlement: succeeded(result) }],
        );
      equals((await settle('"first"')).settles, ['settled']);
      equals((await settle('"second"')).settles, ['settled']);
      matches(await actor.claim('key', BOB), { kind: 'succeeded', result: '"first"' });
    },

    async 'a claimable record is owned by one claim of an exchange, or of the claim behind it'(actor) {
      await actor.claim('lapsed', ALICE);
      await actor.advance(LEASE);
      await actor.claim('released', ALICE);
      await actor.settle('released', ALICE, released());
      const { claims } = await exchanged(
        actor,
        [claimOf('lapsed', BOB), claimOf('released', BOB)],
        [{ key: 'none', token: BOB, settlement: succeeded() }],
      );
      equals(claims, [
        { kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE },
        { kind: 'claimed', attempts: 2, failures: 1, deadToken: null },
      ]);
    },

    async 'what an exchange leaves without an answer is as if it had not been asked'(actor) {
      await actor.claim('lapsed', ALICE);
      await actor.advance(LEASE);
      const reply = await filled(actor, [claimOf('lapsed', BOB)], [settleOf('none', BOB)]);
      const owner = reply.claims[0] === undefined ? CAROL : BOB;
      if (owner === CAROL) {
        matches(await actor.claim('lapsed', CAROL), { kind: 'claimed', attempts: 2, deadToken: ALICE });
      }
      equals(await actor.settle('lapsed', owner, succeeded()), 'settled');
      matches(await actor.claim('lapsed', ALICE), { kind: 'succeeded', attempts: 2 });
    },

    async 'the lease of an exchange is the one that it asks for'(actor) {
      await exchanged(actor, [claimOf('key', ALICE)], [settleOf('none', ALICE)]);
      await actor.advance(LEASE - 1_000);
      matches(await actor.claim('key', BOB), { kind: 'in-flight' });
      await actor.advance(1_000);
      matches(await actor.claim('key', BOB), { kind: 'claimed', deadToken: ALICE });
    },

    async 'a key that is claimed and settled in one exchange is settled, and claimed before or after that'(
      actor,
    ) {
      await actor.claim('key', ALICE);
      const { claims, settles } = await exchanged(actor, [claimOf('key', BOB)], [settleOf('key', ALICE)]);
      equals(settles, ['settled']);
      const [reply] = claims;
      assert.ok(
        reply?.kind === 'in-flight' || reply?.kind === 'succeeded',
        `the claim is ${String(reply?.kind)}`,
      );
      matches(await actor.claim('key', CAROL), { kind: 'succeeded', attempts: 1 });
    },

    async 'exchanges at one moment with the same keys in another order give each key one owner'(actor) {
      const keys = Array.from({ length: Math.max(from(actor), 2 * CALLERS) }, (_, index) => `key-${index}`);
      const tokenOf = (caller: number) => `00000000-0000-4000-9000-${String(caller).padStart(12, '0')}`;
      const owned = await Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          const token = tokenOf(caller);
          const mine = keys.map((key) => `${key} of ${caller}`);
          for (const key of mine) await actor.claim(key, token);
          const turned = keys.map((__, index) => keys[(index * 7 + caller) % keys.length] as string);
          const { claims, settles } = await exchanged(
            actor,
            turned.map((key) => claimOf(key, token)),
            mine.map((key) => settleOf(key, token)),
          );
          equals(
            settles,
            mine.map(() => 'settled'),
          );
          return turned.filter((__, index) => claims[index]?.kind === 'claimed');
        }),
      );
      equals(owned.flat().toSorted(), keys.toSorted());
    },
  },
};

function claimOf(key: string, token: string, fingerprint = PAYLOAD): ClaimRequest {
  return { key, token, fingerprint };
}

function settleOf(key: string, token: string): SettleRequest {
  return { key, token, settlement: succeeded() };
}

function exchangeOf({ store }: Actor): Exchange {
  if (store.exchange === undefined) throw new Error('the store has no exchange');
  return store.exchange;
}

function from(actor: Actor): number {
  return exchangeOf(actor).from;
}

/** One exchange, with as many more requests as it has to have. */
async function filled(actor: Actor, claims: readonly ClaimRequest[], settles: readonly SettleRequest[]) {
  const others = Array.from({ length: from(actor) }, (_, index) => `other ${index}`);
  return await exchangeOf(actor).send(
    [...claims, ...others.map((key) => claimOf(key, CAROL))],
    [...settles, ...others.map((key) => settleOf(`${key} settled`, CAROL))],
    { scope: actor.scope, ...TERMS },
  );
}

/** One exchange, and the verbs for what it has left. */
async function exchanged(
  actor: Actor,
  claims: readonly ClaimRequest[],
  settles: readonly SettleRequest[],
): Promise<{ claims: ClaimReply[]; settles: SettleReply[] }> {
  const replies = await filled(actor, claims, settles);
  const { store, scope } = actor;
  const leftClaims = claims.filter((_, index) => replies.claims[index] === undefined);
  const leftSettles = settles.filter((_, index) => replies.settles[index] === undefined);
  const claimed = [...(await store.claim(leftClaims, { scope, ...TERMS }))];
  const settled = [...(await store.settle(leftSettles, scope))];
  return {
    claims: claims.map((_, index) => replies.claims[index] ?? (claimed.shift() as ClaimReply)),
    settles: settles.map((_, index) => replies.settles[index] ?? (settled.shift() as SettleReply)),
  };
}
