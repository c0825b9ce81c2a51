import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import {
  type Actor,
  ALICE,
  BOB,
  CAROL,
  HOUR,
  LEASE,
  MINUTE,
  OTHER_PAYLOAD,
  type StoreRule,
} from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

const FRESH = { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };
const ENDINGS = [
  ['succeeded', succeeded('"old"', HOUR)],
  ['failed', failed('{"message":"old"}', 'terminal', HOUR)],
] as const;

/** 50 days. */
const LONG_RETENTION = 2 ** 32 + HOUR;

export const EXPIRY: StoreRule = {
  rule: 'a settled record answers for its retention, and counts as absent from then on; a pending one does not expire',
  cases: {
    ...each(
      ENDINGS,
      ([kind]) => `a ${kind} record answers until its retention ends`,
      async (actor: Actor, [kind, settlement]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement);
        await actor.advance(HOUR - MINUTE);
        matches(await actor.claim('key', BOB), { kind });
        await actor.advance(MINUTE);
        equals(await actor.claim('key', BOB), FRESH);
      },
    ),

    ...each(
      [
        ['succeeded', succeeded('"old"', LONG_RETENTION)],
        ['failed', failed('{"message":"old"}', 'terminal', LONG_RETENTION)],
      ],
      ([kind]) => `a ${kind} record answers for a retention of more milliseconds than 32 bits hold`,
      async (actor: Actor, [kind, settlement]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement);
        await actor.advance(LONG_RETENTION - MINUTE);
        matches(await actor.claim('key', BOB), { kind });
        await actor.advance(MINUTE);
        equals(await actor.claim('key', BOB), FRESH);
      },
    ),

    ...each(
      ENDINGS,
      ([kind]) => `an expired ${kind} record is as if it had never been`,
      async (actor: Actor, [, settlement]) => {
        await actor.claim('key', CAROL);
        await actor.settle('key', CAROL, released('{"message":"older"}'));
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement);
        await actor.advance(HOUR);
        equals(await actor.claim('key', BOB), FRESH);
        await actor.settle('key', BOB, released(null, MINUTE));
        matches(await actor.claim('key', CAROL), { kind: 'released', attempts: 1, error: null });
        await actor.advance(MINUTE);
        await actor.claim('key', CAROL);
        await actor.settle('key', CAROL, succeeded(null));
        equals(await actor.claim('key', ALICE), {
          kind: 'succeeded',
          attempts: 2,
          result: null,
          resultOmitted: null,
        });
      },
    ),

    ...each(
      ENDINGS,
      ([kind]) => `after a ${kind} record expired its key may carry another payload`,
      async (actor: Actor, [, settlement]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, settlement);
        await actor.advance(HOUR);
        equals(await actor.claim('key', BOB, { fingerprint: OTHER_PAYLOAD }), FRESH);
        equals(await actor.claim('key', CAROL), { kind: 'mismatch' });
      },
    ),

    async 'the owner of an expired life of a key changes nothing in the next'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('"old"', HOUR));
      await actor.advance(HOUR);
      await actor.claim('key', BOB);
      equals(await actor.settle('key', ALICE, succeeded('"old"')), 'lost');
      equals(await actor.extend('key', ALICE), 'lost');
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 1 });
    },

    async 'a pending record does not expire, however long it is not claimed'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE + 10_000 * HOUR);
      matches(await actor.claim('key', BOB), {
        kind: 'claimed',
        attempts: 2,
        failures: 0,
        deadToken: ALICE,
      });
    },
  },
};
