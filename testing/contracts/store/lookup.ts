import { equals, matches } from '../assertions.ts';
import { ALICE, BOB, HOUR, LEASE, MINUTE, NO_FINGERPRINT, SECOND, type StoreRule, waits } from './actor.ts';
import { failed, released, succeeded } from './settlements.ts';

/** Of a store that can look at a record without a claim. */
export const LOOKUP: StoreRule = {
  rule: 'a lookup returns what is on record, and changes nothing',
  cases: {
    async 'a lookup finds nothing under a key that was never claimed, and makes no record'(actor) {
      equals(await actor.lookup('key'), undefined);
      matches(await actor.claim('key', ALICE), { kind: 'claimed', attempts: 1 });
    },

    async 'a lookup finds an owned record, and leaves it to its owner when its lease has lapsed'(actor) {
      await actor.claim('key', ALICE);
      const reply = await actor.lookup('key');
      matches(reply, { kind: 'in-flight', attempts: 1 });
      waits(reply, LEASE - 30 * SECOND, LEASE);
      await actor.advance(LEASE);
      equals(await actor.lookup('key'), { kind: 'in-flight', attempts: 1, retryAfterMs: 0 });
      equals(await actor.extend('key', ALICE), 'extended');
    },

    async 'a lookup finds a released record with its error, during its backoff and after'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released('{"message":"busy"}', MINUTE));
      const reply = { kind: 'released', attempts: 1, error: '{"message":"busy"}' };
      matches(await actor.lookup('key'), reply);
      await actor.advance(MINUTE);
      equals(await actor.lookup('key'), { ...reply, retryAfterMs: 0 });
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 2 });
    },

    async 'a lookup finds a succeeded record with its result, until it has expired'(actor) {
      await actor.claim('key', ALICE, { fingerprint: NO_FINGERPRINT });
      await actor.settle('key', ALICE, succeeded('"kept"'));
      const reply = { kind: 'succeeded', attempts: 1, result: '"kept"', resultOmitted: null };
      equals(await actor.lookup('key'), reply);
      await actor.advance(HOUR);
      equals(await actor.lookup('key'), undefined);
    },

    async 'a lookup finds a failed record with its error, until it has expired'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, failed('{"message":"kept"}'));
      const reply = { kind: 'failed', attempts: 1, error: '{"message":"kept"}', replayed: true };
      matches(await actor.lookup('key'), reply);
      await actor.advance(HOUR);
      equals(await actor.lookup('key'), undefined);
    },

    async 'a lookup finds the record of its own scope alone'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.inScope(`${actor.scope} beside`).lookup('key'), undefined);
    },
  },
};
