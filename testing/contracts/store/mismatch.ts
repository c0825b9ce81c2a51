import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import {
  ALICE,
  type Actor,
  BOB,
  CAROL,
  HOUR,
  LEASE,
  MINUTE,
  NO_FINGERPRINT,
  OTHER_PAYLOAD,
  OTHER_VERSION,
  PAYLOAD,
  type StoreRule,
} from './actor.ts';
import { exhaustByDeaths } from './endings.ts';
import { failed, released, succeeded } from './settlements.ts';

const OTHER = { fingerprint: OTHER_PAYLOAD };

const INCOMPARABLE: [name: string, recorded: string, requested: string][] = [
  ['no fingerprint matches a record that has one', PAYLOAD, NO_FINGERPRINT],
  ['a fingerprint matches a record that has none', NO_FINGERPRINT, PAYLOAD],
  ['no fingerprint matches a record that has none', NO_FINGERPRINT, NO_FINGERPRINT],
  ['a fingerprint matches a record that has one of another version', PAYLOAD, OTHER_VERSION],
];

interface Situation {
  readonly name: string;
  readonly reach: (actor: Actor) => Promise<unknown>;
  /** What the next claim with the right payload still finds. */
  readonly next: object;
}

const SITUATIONS: Situation[] = [
  {
    name: 'an owned',
    reach: (actor) => actor.claim('key', ALICE),
    next: { kind: 'in-flight', attempts: 1 },
  },
  {
    name: 'a lapsed',
    reach: async (actor) => {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
    },
    next: { kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE },
  },
  {
    name: 'a lapsed and exhausted',
    reach: (actor) => exhaustByDeaths(actor),
    next: { kind: 'failed', reason: 'deaths-exhausted', attempts: 5, replayed: false },
  },
  {
    name: 'a released',
    reach: async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"busy"}', MINUTE));
    },
    next: { kind: 'released', attempts: 1, error: '{"message":"busy"}' },
  },
  {
    name: 'a claimable',
    reach: async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, 0));
    },
    next: { kind: 'claimed', attempts: 2, failures: 1, deadToken: null },
  },
  {
    name: 'a succeeded',
    reach: async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('"kept"'));
    },
    next: { kind: 'succeeded', attempts: 1, result: '"kept"' },
  },
  {
    name: 'a failed',
    reach: async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, failed('{"message":"kept"}'));
    },
    next: { kind: 'failed', attempts: 1, error: '{"message":"kept"}', replayed: true },
  },
];

/** How a record comes to its second claim. */
const CLAIMED_AGAIN: [name: string, end: (actor: Actor) => Promise<unknown>][] = [
  ['taken over', (actor) => actor.advance(LEASE)],
  ['claimed after a release', (actor) => actor.settle('key', ALICE, released(null, 0))],
];

export const MISMATCH: StoreRule = {
  rule: "a claim whose fingerprint differs from the record's, both of one version, is a mismatch and changes nothing",
  cases: {
    ...each(
      SITUATIONS,
      ({ name }) => `another payload for ${name} key is refused, and changes nothing`,
      async (actor: Actor, { reach, next }) => {
        await reach(actor);
        equals(await actor.claim('key', BOB, OTHER), { kind: 'mismatch' });
        equals(await actor.claim('key', BOB, OTHER), { kind: 'mismatch' });
        matches(await actor.claim('key', CAROL), next);
      },
    ),

    ...each(
      INCOMPARABLE.flatMap(([what, ...fingerprints]) =>
        SITUATIONS.map(({ name, ...situation }) => ({
          name: `${what}: ${name} key`,
          fingerprints,
          ...situation,
        })),
      ),
      ({ name }) => name,
      async (actor: Actor, { fingerprints: [recorded, fingerprint], reach, next }) => {
        await reach(withFingerprint(actor, recorded));
        matches(await actor.claim('key', BOB, { fingerprint }), next);
      },
    ),

    ...each(
      CLAIMED_AGAIN,
      ([what]) => `a record that is ${what} has the fingerprint of that claim`,
      async (actor: Actor, [, end]) => {
        await actor.claim('key', ALICE, { fingerprint: OTHER_VERSION });
        await end(actor);
        matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 2 });
        equals(await actor.claim('key', CAROL, OTHER), { kind: 'mismatch' });
      },
    ),

    ...each(
      CLAIMED_AGAIN,
      ([what]) =>
        `a record that is ${what} has no fingerprint where it had none: a claim does not fill it in`,
      async (actor: Actor, [, end]) => {
        await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
        await actor.claim('beside', ALICE);
        await end(actor);
        matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 2 });
        matches(await actor.claim('key', CAROL, OTHER), { kind: 'in-flight' });
        await actor.settle('key', BOB, succeeded('"kept"'));
        matches(await actor.claim('key', CAROL, OTHER), { kind: 'succeeded', result: '"kept"' });
        equals(await actor.claim('beside', CAROL, OTHER), { kind: 'mismatch' });
      },
    ),

    ...each(
      CLAIMED_AGAIN,
      ([what]) => `a record that is ${what} has none where that claim has none`,
      async (actor: Actor, [, end]) => {
        await actor.claim('key', ALICE);
        await end(actor);
        matches(await actor.claim('key', BOB, { fingerprint: NO_FINGERPRINT }), { attempts: 2 });
        matches(await actor.claim('key', CAROL, OTHER), { kind: 'in-flight' });
      },
    ),

    async 'fingerprints are compared to their last character'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.claim('key', BOB, { fingerprint: `${PAYLOAD.slice(0, -1)}2` }), {
        kind: 'mismatch',
      });
    },

    async 'a record that is used up keeps no fingerprint where it had none'(actor) {
      await exhaustByDeaths(withFingerprint(actor, NO_FINGERPRINT));
      const failedBy = { kind: 'failed', reason: 'deaths-exhausted', replayed: false };
      matches(await actor.claim('key', BOB, { fingerprint: PAYLOAD }), failedBy);
      matches(await actor.claim('key', CAROL, OTHER), { ...failedBy, replayed: true });
    },

    async 'a record without a fingerprint has that of its next life'(actor) {
      await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
      await actor.settle('key', ALICE, succeeded());
      await actor.advance(HOUR);
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 1 });
      equals(await actor.claim('key', CAROL, OTHER), { kind: 'mismatch' });
    },

    async 'a record that is only answered from keeps its fingerprint'(actor) {
      await actor.claim('key', ALICE);
      matches(await actor.claim('key', BOB, { fingerprint: NO_FINGERPRINT }), {
        kind: 'in-flight',
      });
      equals(await actor.claim('key', CAROL, OTHER), { kind: 'mismatch' });
    },

    async 'another payload does not take the lease from its owner'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      await actor.claim('key', BOB, OTHER);
      equals(await actor.extend('key', ALICE), 'extended');
      equals(await actor.settle('key', ALICE, succeeded()), 'settled');
    },

    async 'the owner itself is refused when it comes with another payload'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.claim('key', ALICE, OTHER), { kind: 'mismatch' });
    },
  },
};

/** The same, with another fingerprint where none is given. */
function withFingerprint(actor: Actor, fingerprint: string): Actor {
  return { ...actor, claim: (key, token, options) => actor.claim(key, token, { fingerprint, ...options }) };
}
