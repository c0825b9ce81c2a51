import { equals, matches } from '../assertions.ts';
import { ALICE, BOB, CAROL, HOUR, MINUTE, type StoreRule } from './actor.ts';
import { die, exhaustByDeaths } from './endings.ts';
import { released, succeeded, takenBack } from './settlements.ts';

const ONCE = { maxAttempts: 1 };
const AT_MOST_ONCE = { maxDeaths: 1 };
/** Suspects too. */
const ANY = { mayOwnSuspects: true };

export const ATTEMPTS: StoreRule = {
  rule: 'a claim that finds maxAttempts failures, or maxDeaths deaths in a row, fails the record instead of owning it',
  cases: {
    async 'a claim beyond the last attempt fails the record, and says that it was this claim'(actor) {
      await actor.claim('key', ALICE, ONCE);
      await actor.settle('key', ALICE, released('{"message":"last"}'));
      const failed = {
        kind: 'failed',
        attempts: 1,
        reason: 'attempts-exhausted',
        error: '{"message":"last"}',
      };
      equals(await actor.claim('key', BOB, ONCE), { ...failed, replayed: false });
      equals(await actor.claim('key', CAROL, ONCE), { ...failed, replayed: true });
    },

    async 'the claim that found the attempts used up, sent again, is answered as before'(actor) {
      await actor.claim('key', ALICE, ONCE);
      await actor.settle('key', ALICE, released());
      const reply = await actor.claim('key', BOB, ONCE);
      equals(await actor.claim('key', BOB, ONCE), reply);
    },

    async 'workers that died silently use up deaths, and leave no error'(actor) {
      await exhaustByDeaths(actor);
      const failed = { kind: 'failed', attempts: 5, reason: 'deaths-exhausted', error: null };
      equals(await actor.claim('key', BOB), { ...failed, replayed: false, deadToken: ALICE });
      equals(await actor.claim('key', CAROL), { ...failed, replayed: true });
    },

    async 'deaths do not use up attempts, nor failures deaths'(actor) {
      for (let round = 1; round <= 2; round += 1) {
        await die(actor, ANY);
        await die(actor, ANY);
        await actor.claim('key', ALICE, ANY);
        await actor.settle('key', ALICE, released(null, 0));
      }
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 7,
        failures: 2,
        deadToken: null,
      });
    },

    async 'after the deaths are used up, the last owner can neither settle nor extend'(actor) {
      await die(actor, AT_MOST_ONCE);
      await actor.claim('key', BOB, AT_MOST_ONCE);
      equals(await actor.extend('key', ALICE), 'lost');
      equals(await actor.settle('key', ALICE, succeeded()), 'lost');
      matches(await actor.claim('key', CAROL, AT_MOST_ONCE), { kind: 'failed' });
    },

    async 'the claim that failed the record does not own it'(actor) {
      await die(actor, AT_MOST_ONCE);
      await actor.claim('key', BOB, AT_MOST_ONCE);
      equals(await actor.extend('key', BOB), 'lost');
      await actor.settle('key', BOB, succeeded());
      equals(await actor.settle('key', BOB, takenBack()), 'failed');
      matches(await actor.claim('key', CAROL, AT_MOST_ONCE), { kind: 'failed' });
    },

    async 'a record that failed at a claim stays for the retention that this claim gave'(actor) {
      await die(actor, AT_MOST_ONCE);
      await actor.claim('key', BOB, { ...AT_MOST_ONCE, failedRetentionMs: HOUR });
      await actor.advance(HOUR - 10 * MINUTE);
      matches(await actor.claim('key', CAROL), { kind: 'failed' });
      await actor.advance(10 * MINUTE);
      matches(await actor.claim('key', CAROL), {
        kind: 'claimed',
        attempts: 1,
        failures: 0,
        deadToken: null,
      });
    },

    async 'a suspect is owned only by a claim that may, and the others write nothing'(actor) {
      await die(actor);
      await die(actor);
      equals(await actor.claim('key', BOB), { kind: 'suspect', attempts: 2 });
      equals(await actor.claim('key', CAROL), { kind: 'suspect', attempts: 2 });
      matches(await actor.claim('key', BOB, ANY), {
        kind: 'claimed',
        attempts: 3,
        deadToken: ALICE,
      });
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 3 });
    },

    async 'the death that fails a record is one of a suspect, whatever maxDeaths is'(actor) {
      const terms = { maxDeaths: 2 };
      await die(actor, terms);
      matches(await actor.claim('key', BOB, terms), { kind: 'suspect' });
      await die(actor, { ...terms, ...ANY });
      matches(await actor.claim('key', BOB, terms), {
        kind: 'failed',
        reason: 'deaths-exhausted',
      });
    },

    async 'deaths before a release do not fail the record'(actor) {
      await die(actor, ANY);
      await actor.claim('key', BOB, ANY);
      await actor.settle('key', BOB, takenBack());
      matches(await actor.claim('key', CAROL, { ...AT_MOST_ONCE, ...ANY }), { kind: 'claimed' });
    },

    async 'a higher limit lets a record go on that a lower one would have failed'(actor) {
      await actor.claim('key', ALICE, ONCE);
      await actor.settle('key', ALICE, released());
      matches(await actor.claim('key', BOB, { maxAttempts: 2 }), { kind: 'claimed', attempts: 2 });
    },

    async 'an attempt that was taken back can be used again'(actor) {
      await actor.claim('key', ALICE, ONCE);
      await actor.settle('key', ALICE, takenBack());
      matches(await actor.claim('key', BOB, ONCE), { kind: 'claimed', attempts: 1 });
    },

    async 'attempts and deaths without a limit never run out'(actor) {
      const terms = { maxAttempts: Infinity, maxDeaths: Infinity, mayOwnSuspects: true };
      for (let death = 1; death <= 20; death += 1) await die(actor, terms);
      matches(await actor.claim('key', BOB, terms), { attempts: 21, failures: 0 });
    },
  },
};
