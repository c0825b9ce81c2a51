import { equals, matches } from '../assertions.ts';
import { ALICE, BOB, LEASE, OTHER_PAYLOAD, PAYLOAD, type StoreRule, TERMS } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

const KEYS = Array.from({ length: 300 }, (_, index) => `key-${(index * 7) % 300}`);

export const BATCH: StoreRule = {
  rule: 'each request of a call is answered by itself, in the order of the requests',
  cases: {
    async 'no requests get no answers'({ store, scope }) {
      equals(await store.claim([], { scope, ...TERMS }), []);
      equals(await store.settle([], scope), []);
      equals(await store.extend([], { scope, leaseMs: LEASE }), []);
    },

    async 'claims of one call are answered each, in their order'(actor) {
      const { store, scope } = actor;
      await actor.claim('settled', ALICE);
      await actor.settle('settled', ALICE, succeeded('"s"'));
      await actor.claim('lapsed', ALICE);
      await actor.advance(LEASE);
      await actor.claim('owned', ALICE);
      await actor.claim('released', ALICE);
      await actor.settle('released', ALICE, released(null, LEASE));
      await actor.claim('another payload', ALICE);
      const keys = ['settled', 'absent', 'released', 'owned', 'lapsed'];
      const requests = [
        ...keys.map((key) => ({ key, token: BOB, fingerprint: PAYLOAD })),
        ...['new', 'another payload'].map((key) => ({ key, token: BOB, fingerprint: OTHER_PAYLOAD })),
      ];
      const replies = await store.claim(requests, { scope, ...TERMS });
      matches(replies, [
        { kind: 'succeeded', result: '"s"' },
        { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null },
        { kind: 'released' },
        { kind: 'in-flight' },
        { kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE },
        { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null },
        { kind: 'mismatch' },
      ]);
    },

    async 'every claim of a call has its own token and its own payload'(actor) {
      const requests = [
        { key: 'a', token: ALICE, fingerprint: PAYLOAD },
        { key: 'b', token: BOB, fingerprint: OTHER_PAYLOAD },
      ];
      await actor.store.claim(requests, { scope: actor.scope, ...TERMS });
      matches(await actor.claim('a', ALICE), { kind: 'claimed' });
      matches(await actor.claim('b', BOB, { fingerprint: OTHER_PAYLOAD }), { kind: 'claimed' });
      equals(await actor.settle('a', BOB, succeeded()), 'lost');
      equals(await actor.settle('b', BOB, succeeded()), 'settled');
    },

    async 'settles of one call apply each to its own key, and are answered in their order'(actor) {
      await actor.claim('a', ALICE);
      await actor.claim('b', ALICE);
      await actor.claim('c', ALICE);
      await actor.claim('d', BOB);
      const replies = await actor.store.settle(
        [
          { key: 'd', token: ALICE, settlement: succeeded('"d"') },
          { key: 'c', token: ALICE, settlement: released('{"message":"c"}', LEASE) },
          { key: 'none', token: ALICE, settlement: succeeded('"none"') },
          { key: 'a', token: ALICE, settlement: succeeded('"a"') },
          { key: 'b', token: ALICE, settlement: failed('{"message":"b"}') },
        ],
        actor.scope,
      );
      equals(replies, ['lost', 'settled', 'lost', 'settled', 'settled']);
      matches(await actor.claim('a', BOB), { kind: 'succeeded', result: '"a"' });
      matches(await actor.claim('b', BOB), { kind: 'failed', error: '{"message":"b"}' });
      matches(await actor.claim('c', BOB), { kind: 'released', error: '{"message":"c"}' });
      matches(await actor.claim('d', ALICE), { kind: 'in-flight' });
    },

    async 'extensions of one call are answered each, in their order'(actor) {
      await actor.claim('mine', ALICE);
      await actor.claim('theirs', BOB);
      const requests = ['theirs', 'none', 'mine'].map((key) => ({ key, token: ALICE }));
      const replies = await actor.store.extend(requests, { scope: actor.scope, leaseMs: LEASE });
      equals(replies, ['lost', 'lost', 'extended']);
    },

    async 'many keys in one call are answered each, and kept apart'({ store, scope }) {
      const claims = KEYS.map((key) => ({ key, token: ALICE, fingerprint: PAYLOAD }));
      const claimed = await store.claim(claims, { scope, ...TERMS });
      equals(
        claimed,
        KEYS.map(() => ({ kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null })),
      );
      const settles = KEYS.map((key) => ({ key, token: ALICE, settlement: succeeded(JSON.stringify(key)) }));
      equals(
        await store.settle(settles, scope),
        KEYS.map(() => 'settled'),
      );
      const replies = await store.claim(
        claims.toReversed().map((request) => ({ ...request, token: BOB })),
        { scope, ...TERMS },
      );
      equals(
        replies,
        KEYS.toReversed().map((key) => ({
          kind: 'succeeded',
          attempts: 1,
          result: JSON.stringify(key),
          resultOmitted: null,
        })),
      );
    },
  },
};
