import { describe, expect, test } from 'vitest';
import {
  ALICE,
  type Actor,
  BOB,
  CAROL,
  LEASE,
  MINUTE,
  type NewActor,
  NO_FINGERPRINT,
  OTHER_PAYLOAD,
  OTHER_VERSION,
  PAYLOAD,
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
  reach(actor: Actor): Promise<unknown>;
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
    async reach(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
    },
    next: { kind: 'claimed', attempts: 2, failures: 0, deadToken: ALICE },
  },
  {
    name: 'a lapsed and exhausted',
    async reach(actor) {
      await exhaustByDeaths(actor);
    },
    next: { kind: 'failed', reason: 'deaths-exhausted', attempts: 5, replayed: false },
  },
  {
    name: 'a released',
    async reach(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"busy"}', MINUTE));
    },
    next: { kind: 'released', attempts: 1, error: '{"message":"busy"}' },
  },
  {
    name: 'a claimable',
    async reach(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, 0));
    },
    next: { kind: 'claimed', attempts: 2, failures: 1, deadToken: null },
  },
  {
    name: 'a succeeded',
    async reach(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('"kept"'));
    },
    next: { kind: 'succeeded', attempts: 1, result: '"kept"' },
  },
  {
    name: 'a failed',
    async reach(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, failed('{"message":"kept"}'));
    },
    next: { kind: 'failed', attempts: 1, error: '{"message":"kept"}', replayed: true },
  },
];

export function mismatchContract(newActor: NewActor): void {
  test.each(SITUATIONS)(
    'another payload for $name key is refused, and changes nothing',
    async (situation) => {
      const actor = newActor();
      await situation.reach(actor);
      expect(await actor.claim('key', BOB, OTHER)).toEqual({ kind: 'mismatch' });
      expect(await actor.claim('key', BOB, OTHER)).toEqual({ kind: 'mismatch' });
      expect(await actor.claim('key', CAROL)).toMatchObject(situation.next);
    },
  );

  describe.each(INCOMPARABLE)('%s', (_, recorded, requested) => {
    test.each(SITUATIONS)('when $name key comes again', async (situation) => {
      const actor = newActor();
      await situation.reach(withFingerprint(actor, recorded));
      expect(await actor.claim('key', BOB, { fingerprint: requested })).toMatchObject(situation.next);
    });
  });

  test.each([
    ['taken over', (actor: Actor) => actor.advance(LEASE)],
    ['claimed after a release', (actor: Actor) => actor.settle('key', ALICE, released(null, 0))],
  ])('a record that is %s has the fingerprint of that claim', async (_, end) => {
    const actor = newActor();
    await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
    await end(actor);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 2 });
    expect(await actor.claim('key', CAROL, OTHER)).toEqual({ kind: 'mismatch' });
  });

  test('a record that is only answered from keeps its fingerprint', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    expect(await actor.claim('key', BOB, { fingerprint: NO_FINGERPRINT })).toMatchObject({
      kind: 'in-flight',
    });
    expect(await actor.claim('key', CAROL, OTHER)).toEqual({ kind: 'mismatch' });
  });

  test('another payload does not take the lease from its owner', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    await actor.advance(LEASE);
    await actor.claim('key', BOB, OTHER);
    expect(await actor.extend('key', ALICE)).toBe('extended');
    expect(await actor.settle('key', ALICE, succeeded())).toBe('settled');
  });

  test('the owner itself is refused when it comes with another payload', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE);
    expect(await actor.claim('key', ALICE, OTHER)).toEqual({ kind: 'mismatch' });
  });
}

/** The same, with another fingerprint where none is given. */
function withFingerprint(actor: Actor, fingerprint: string): Actor {
  return { ...actor, claim: (key, token, options) => actor.claim(key, token, { fingerprint, ...options }) };
}
