import { describe, expect, test } from 'vitest';
import {
  ALICE,
  type Actor,
  BOB,
  CAROL,
  HOUR,
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

  describe.each([
    ['taken over', (actor: Actor) => actor.advance(LEASE)],
    ['claimed after a release', (actor: Actor) => actor.settle('key', ALICE, released(null, 0))],
  ])('a record that is %s', (_, end) => {
    test('has the fingerprint of that claim', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE, { fingerprint: OTHER_VERSION });
      await end(actor);
      expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 2 });
      expect(await actor.claim('key', CAROL, OTHER)).toEqual({ kind: 'mismatch' });
    });

    test('has no fingerprint where it had none: a claim does not fill it in', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
      await actor.claim('beside', ALICE);
      await end(actor);
      expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 2 });
      expect(await actor.claim('key', CAROL, OTHER)).toMatchObject({ kind: 'in-flight' });
      await actor.settle('key', BOB, succeeded('"kept"'));
      expect(await actor.claim('key', CAROL, OTHER)).toMatchObject({ kind: 'succeeded', result: '"kept"' });
      expect(await actor.claim('beside', CAROL, OTHER)).toEqual({ kind: 'mismatch' });
    });

    test('has none where that claim has none', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await end(actor);
      expect(await actor.claim('key', BOB, { fingerprint: NO_FINGERPRINT })).toMatchObject({ attempts: 2 });
      expect(await actor.claim('key', CAROL, OTHER)).toMatchObject({ kind: 'in-flight' });
    });
  });

  test('a record that is used up keeps no fingerprint where it had none', async () => {
    const actor = withFingerprint(newActor(), NO_FINGERPRINT);
    await exhaustByDeaths(actor);
    const failedBy = { kind: 'failed', reason: 'deaths-exhausted', replayed: false };
    expect(await actor.claim('key', BOB, { fingerprint: PAYLOAD })).toMatchObject(failedBy);
    expect(await actor.claim('key', CAROL, OTHER)).toMatchObject({ ...failedBy, replayed: true });
  });

  test('a record without a fingerprint has that of its next life', async () => {
    const actor = newActor();
    await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
    await actor.settle('key', ALICE, succeeded());
    await actor.advance(HOUR);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', attempts: 1 });
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
