import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { type Actor, ALICE, BOB, CAROL, LEASE, SECOND, type StoreRule } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

export const EXTEND: StoreRule = {
  rule: 'an extension makes only the lease of the token that owns the record longer, and never shorter',
  cases: {
    async 'the owner extends its lease from now on'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE - 10 * SECOND);
      equals(await actor.extend('key', ALICE, LEASE), 'extended');
      await actor.advance(LEASE - 30 * SECOND);
      matches(await actor.claim('key', BOB), { kind: 'in-flight', attempts: 1 });
      await actor.advance(30 * SECOND);
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 2,
        failures: 0,
        deadToken: ALICE,
      });
    },

    async 'a lapsed lease that was not taken over can be extended'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(10 * LEASE);
      equals(await actor.extend('key', ALICE), 'extended');
      matches(await actor.claim('key', BOB), { kind: 'in-flight', attempts: 1 });
    },

    async 'a lease cannot be extended after a takeover, nor does the try shorten the new lease'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      await actor.claim('key', BOB);
      equals(await actor.extend('key', ALICE, 0), 'lost');
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 2 });
      equals(await actor.extend('key', BOB), 'extended');
    },

    ...each(
      [
        ['succeeded', succeeded('1', LEASE)],
        ['failed', failed('{}', 'terminal', LEASE)],
        ['released', released(null, LEASE)],
      ],
      ([state]) => `a heartbeat that comes after its record has ${state} is lost, and extends nothing`,
      async (actor: Actor, [, settlement]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement);
        equals(await actor.extend('key', ALICE, 100 * LEASE), 'lost');
        await actor.advance(LEASE);
        matches(await actor.claim('key', BOB), { kind: 'claimed', deadToken: null });
      },
    ),

    async 'an extension never makes a lease shorter'(actor) {
      await actor.claim('key', ALICE, { leaseMs: 3 * LEASE });
      equals(await actor.extend('key', ALICE, LEASE), 'extended');
      await actor.advance(2 * LEASE);
      matches(await actor.claim('key', BOB), { kind: 'in-flight', attempts: 1 });
    },

    async 'a key that was not claimed cannot be extended, and gets no record'(actor) {
      equals(await actor.extend('key', ALICE), 'lost');
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 1 });
    },

    async 'an extended lease keeps its attempt, its payload and its error'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"first"}'));
      await actor.claim('key', BOB);
      await actor.extend('key', BOB);
      await actor.settle('key', BOB, released(null, LEASE));
      matches(await actor.claim('key', CAROL), {
        kind: 'released',
        attempts: 2,
        error: '{"message":"first"}',
      });
    },
  },
};
