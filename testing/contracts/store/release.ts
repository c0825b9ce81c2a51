import { matches } from '../assertions.ts';
import { aged, ALICE, BOB, CAROL, HOUR, LEASE, MINUTE, SECOND, type StoreRule, waits } from './actor.ts';
import { die } from './endings.ts';
import { deferred, released, succeeded, takenBack } from './settlements.ts';

export const RELEASE: StoreRule = {
  rule: 'a release keeps the record pending: the next claim owns it retryAfterMs later, and an uncounted attempt is subtracted',
  cases: {
    async 'a released key waits for its backoff, and reports the error and the time left'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"busy"}', 10 * MINUTE));
      await actor.advance(4 * MINUTE);
      const reply = await actor.claim('key', BOB);
      matches(reply, { kind: 'released', attempts: 1, error: '{"message":"busy"}' });
      waits(reply, 5 * MINUTE, 6 * MINUTE);
    },

    async 'the token that released a key waits like any other'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, MINUTE));
      matches(await actor.claim('key', ALICE), { kind: 'released', attempts: 1, error: null });
    },

    async 'after the backoff the next attempt is a claim, not a takeover'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, MINUTE));
      await actor.advance(MINUTE);
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 2,
        failures: 1,
        deadToken: null,
      });
    },

    async 'a release with no backoff is claimable at once'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, 0));
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 2,
        failures: 1,
        deadToken: null,
      });
    },

    async 'a new attempt after a release has a lease of its own'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released(null, 0));
      await actor.claim('key', BOB);
      await actor.advance(LEASE - 30 * SECOND);
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 2 });
    },

    async 'an interrupted attempt is taken back from the count'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
      await actor.claim('key', BOB);
      await actor.settle('key', BOB, takenBack());
      matches(await actor.claim('key', CAROL), {
        kind: 'claimed',
        attempts: 2,
        failures: 1,
        deadToken: null,
      });
    },

    async 'an interrupted first attempt leaves a count of 0'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, takenBack(null, MINUTE));
      matches(await actor.claim('key', BOB), { kind: 'released', attempts: 0 });
    },

    async 'a deferred attempt is taken back from the count, and ends the deaths in a row'(actor) {
      await die(actor);
      await actor.claim('key', BOB);
      await actor.settle('key', BOB, deferred());
      await die(actor);
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 3, failures: 0, deadToken: ALICE });
    },

    async 'the age is the time since the first claim, and starts at 0 again when the record has expired'(
      actor,
    ) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, deferred());
      await actor.advance(HOUR);
      const later = await actor.claim('key', BOB);
      aged(later, HOUR);
      await actor.settle('key', BOB, succeeded(null, MINUTE));
      await actor.advance(HOUR);
      matches(await actor.claim('key', CAROL), { kind: 'claimed', attempts: 1, ageMs: 0 });
    },

    async 'an error is kept over later attempts until another takes its place'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"first"}'));
      await actor.claim('key', BOB);
      await actor.settle('key', BOB, takenBack(null, MINUTE));
      matches(await actor.claim('key', CAROL), { error: '{"message":"first"}' });
      await actor.advance(MINUTE);
      await actor.claim('key', CAROL);
      await actor.settle('key', CAROL, released('{"message":"second"}', MINUTE));
      matches(await actor.claim('key', ALICE), { error: '{"message":"second"}' });
    },
  },
};
