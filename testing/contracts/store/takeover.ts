import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { type Actor, ALICE, BOB, CAROL, HOUR, LEASE, SECOND, type StoreRule } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

export const TAKEOVER: StoreRule = {
  rule: 'the first claim after a lease has lapsed owns the record; from then on the previous token changes nothing',
  cases: {
    async 'a lapsed lease is taken over, as the next attempt'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 2,
        failures: 0,
        deadToken: ALICE,
      });
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 2 });
    },

    async 'a lease that has not lapsed is not taken over'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE - 30 * SECOND);
      matches(await actor.claim('key', BOB), { kind: 'in-flight', attempts: 1 });
    },

    async 'the token whose lease lapsed claims again only as the next attempt'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      matches(await actor.claim('key', ALICE), {
        kind: 'claimed',
        attempts: 2,
        failures: 0,
        deadToken: ALICE,
      });
    },

    ...each(
      [
        ['success', succeeded('"late"')],
        ['failure', failed('{"message":"late"}')],
        ['release', released('{"message":"late"}', HOUR)],
      ],
      ([what]) => `after a takeover the ${what} of the first owner is lost, and changes nothing`,
      async (actor: Actor, [, settlement]) => {
        await actor.claim('key', ALICE);
        await actor.advance(LEASE);
        await actor.claim('key', BOB);
        equals(await actor.settle('key', ALICE, settlement), 'lost');
        matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 2 });
        equals(await actor.settle('key', BOB, succeeded('"bob"')), 'settled');
        equals(await actor.settle('key', ALICE, settlement), 'lost');
        matches(await actor.claim('key', CAROL), {
          kind: 'succeeded',
          attempts: 2,
          result: '"bob"',
        });
      },
    ),

    async 'the error of an earlier attempt is kept over a takeover'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"first"}'));
      await actor.claim('key', BOB);
      await actor.advance(LEASE);
      await actor.claim('key', CAROL);
      await actor.settle('key', CAROL, released(null, HOUR));
      matches(await actor.claim('key', ALICE), { kind: 'released', error: '{"message":"first"}' });
    },
  },
};
