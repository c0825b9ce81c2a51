import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { type Actor, ALICE, BOB, CAROL, HOUR, LEASE, MINUTE, type StoreRule } from './actor.ts';
import { failed, released, succeeded, takenBack } from './settlements.ts';

export const SETTLE: StoreRule = {
  rule: 'a settle changes the record of the token that owns it, once, and no other',
  cases: {
    async 'the owner succeeds'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.settle('key', ALICE, succeeded('[1,2]')), 'settled');
      const replay = { kind: 'succeeded', attempts: 1, result: '[1,2]', resultOmitted: null };
      equals(await actor.claim('key', BOB), replay);
    },

    ...each(
      ['terminal', 'attempts-exhausted', 'invalid-payload'],
      (reason) => `the owner fails: ${reason}`,
      async (actor: Actor, reason) => {
        await actor.claim('key', ALICE);
        equals(await actor.settle('key', ALICE, failed('{"message":"no"}', reason)), 'settled');
        const replay = { kind: 'failed', attempts: 1, reason, error: '{"message":"no"}', replayed: true };
        equals(await actor.claim('key', BOB), replay);
      },
    ),

    ...each(
      ['not-serializable', 'too-large', 'not-stored', 'refused-by-store'],
      (resultOmitted) => `an omitted result is reported: ${resultOmitted}`,
      async (actor: Actor, resultOmitted) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, { kind: 'succeed', result: null, resultOmitted, retentionMs: HOUR });
        const replay = { kind: 'succeeded', attempts: 1, result: null, resultOmitted };
        equals(await actor.claim('key', BOB), replay);
      },
    ),

    async 'no result and the JSON null are two results'(actor) {
      await actor.claim('nothing', ALICE);
      await actor.claim('null', ALICE);
      await actor.settle('nothing', ALICE, succeeded(null));
      await actor.settle('null', ALICE, succeeded('null'));
      matches(await actor.claim('nothing', BOB), { result: null, resultOmitted: null });
      matches(await actor.claim('null', BOB), { result: 'null', resultOmitted: null });
    },

    async 'a settle of a key that was not claimed is lost, and makes no record'(actor) {
      equals(await actor.settle('key', ALICE, succeeded()), 'lost');
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 1 });
    },

    async 'a settle with a token that is not the owner is lost, and changes nothing'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.settle('key', BOB, succeeded()), 'lost');
      matches(await actor.claim('key', CAROL), { kind: 'in-flight' });
      equals(await actor.settle('key', ALICE, succeeded()), 'settled');
    },

    async 'a lapsed lease that was not taken over can still be settled'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(10 * LEASE);
      equals(await actor.settle('key', ALICE, succeeded('"slow"')), 'settled');
      matches(await actor.claim('key', BOB), { kind: 'succeeded', attempts: 1, result: '"slow"' });
    },

    ...each(
      [
        ['success', succeeded('"first"'), { kind: 'succeeded', attempts: 1, result: '"first"' }],
        [
          'failure',
          failed('{"message":"first"}'),
          { kind: 'failed', attempts: 1, error: '{"message":"first"}' },
        ],
        [
          'release',
          released('{"message":"first"}', HOUR),
          { kind: 'released', error: '{"message":"first"}' },
        ],
      ],
      ([what]) => `a ${what} sent again is settled, whatever the second says, and changes nothing`,
      async (actor: Actor, [, first, kept]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, first);
        for (const again of [first, succeeded('"other"'), failed('{"message":"other"}')]) {
          equals(await actor.settle('key', ALICE, again), 'settled');
        }
        matches(await actor.claim('key', BOB), kept);
      },
    ),

    ...each(
      [
        ['success', succeeded(), 'settled'],
        ['failure', failed(), 'failed'],
        ['release', released(null, HOUR), 'settled'],
      ],
      ([what]) => `after a ${what} a release changes nothing, and reports the present state`,
      async (actor: Actor, [, first, reply]) => {
        await actor.claim('key', ALICE);
        await actor.settle('key', ALICE, first);
        const before = await actor.claim('key', BOB);
        equals(await actor.settle('key', ALICE, released('{"message":"other"}')), reply);
        matches(await actor.claim('key', BOB), { kind: before.kind });
      },
    ),

    async 'a success sent again does not extend its retention'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('1', HOUR));
      await actor.settle('key', ALICE, succeeded('1', 100 * HOUR));
      await actor.advance(HOUR);
      matches(await actor.claim('key', BOB), { kind: 'claimed' });
    },

    async 'a success sent again does not shorten its retention'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('1', HOUR));
      await actor.settle('key', ALICE, succeeded('1', 0));
      await actor.advance(HOUR - MINUTE);
      matches(await actor.claim('key', BOB), { kind: 'succeeded' });
    },

    async 'an interrupted attempt sent again is taken back once'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
      await actor.claim('key', BOB);
      await actor.settle('key', BOB, takenBack(null, MINUTE));
      await actor.settle('key', BOB, takenBack(null, MINUTE));
      matches(await actor.claim('key', CAROL), { kind: 'released', attempts: 1 });
    },

    async 'a release sent again after the next attempt began is lost'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
      await actor.claim('key', BOB);
      equals(await actor.settle('key', ALICE, released()), 'lost');
      matches(await actor.claim('key', CAROL), { kind: 'in-flight', attempts: 2 });
    },
  },
};
