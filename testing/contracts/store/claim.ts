import { equals, matches } from '../assertions.ts';
import { ALICE, BOB, LEASE, PAYLOAD, SECOND, type StoreRule, TERMS, waits } from './actor.ts';
import { succeeded } from './settlements.ts';

/** What a store could put between scope and key, were they one text. Scopes and keys may have each of them. */
const SEPARATORS = [
  ...Array.from(':;,.>/|\\-_~#@!?$%&*+=<^`\'" ()[]{}\t\n\r\u0001\u001e\u001f\u00a0\uffff'),
  ...['::', '||', '//', '->', '--', '%3A', '\\u0000'],
];

export const CLAIM: StoreRule = {
  rule:
    'of all claims of a (scope, key), one owns the record until its lease lapses; the others are answered from ' +
    'it, and change nothing',
  cases: {
    async 'the first claim of a key owns it'(actor) {
      equals(await actor.claim('key', ALICE), {
        kind: 'claimed',
        attempts: 1,
        failures: 0,
        ageMs: 0,
        deadToken: null,
      });
    },

    async 'a claim sent again with its own token is answered again, and counts once'(actor) {
      await actor.claim('key', ALICE);
      matches(await actor.claim('key', ALICE), {
        kind: 'claimed',
        attempts: 1,
        failures: 0,
        deadToken: null,
      });
      matches(await actor.claim('key', BOB), { kind: 'in-flight', attempts: 1 });
    },

    async 'a claim sent again does not make its lease longer'(actor) {
      await actor.claim('key', ALICE);
      await actor.claim('key', ALICE, { leaseMs: 100 * LEASE });
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), { kind: 'claimed' });
    },

    async 'a duplicate of a claimed key is told how long the lease still runs'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(20 * SECOND);
      const reply = await actor.claim('key', BOB);
      matches(reply, { kind: 'in-flight', attempts: 1 });
      waits(reply, SECOND, LEASE - 20 * SECOND);
    },

    async 'a duplicate does not make the lease longer'(actor) {
      await actor.claim('key', ALICE);
      await actor.claim('key', BOB, { leaseMs: 100 * LEASE });
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), { kind: 'claimed' });
    },

    async 'the lease that a claim asks for is the lease that it gets'(actor) {
      await actor.claim('short', ALICE, { leaseMs: LEASE });
      await actor.claim('long', ALICE, { leaseMs: 3 * LEASE });
      await actor.advance(2 * LEASE);
      matches(await actor.claim('short', BOB), { kind: 'claimed' });
      matches(await actor.claim('long', BOB), { kind: 'in-flight' });
    },

    async 'a settled key answers every later claim'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('{"id":7}'));
      const replay = { kind: 'succeeded', attempts: 1, result: '{"id":7}', resultOmitted: null };
      equals(await actor.claim('key', BOB), replay);
      equals(await actor.claim('key', BOB), replay);
      equals(await actor.claim('key', ALICE), replay);
    },

    async 'the same key in another scope is another message'(actor) {
      const elsewhere = actor.inScope(`${actor.scope} elsewhere`);
      await actor.claim('key', ALICE);
      matches(await elsewhere.claim('key', BOB), { kind: 'claimed', attempts: 1 });
      equals(await elsewhere.settle('key', ALICE, succeeded()), 'lost');
      equals(await elsewhere.extend('key', ALICE), 'lost');
    },

    async 'scope and key are two things: moving a character between them makes another message'(actor) {
      const longer = actor.inScope(`${actor.scope}k`);
      await actor.claim('key', ALICE);
      matches(await longer.claim('ey', BOB), { kind: 'claimed' });
    },

    async 'scope and key are two things: joined by any character they would be one for two messages'(actor) {
      const { store, scope } = actor;
      const requests = SEPARATORS.map((text) => ({ key: `x${text}k`, token: ALICE, fingerprint: PAYLOAD }));
      await store.claim(requests, { scope, ...TERMS });
      const claims = SEPARATORS.map((text) => actor.inScope(`${scope}${text}x`).claim('k', BOB));
      const replies = await Promise.all(claims);
      equals(
        SEPARATORS.filter((_, index) => replies[index]?.kind !== 'claimed'),
        [],
      );
    },
  },
};
