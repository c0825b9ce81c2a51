import { equals, matches } from '../assertions.ts';
import { ALICE, BOB, CAROL, HOUR, LEASE, NO_FINGERPRINT, type StoreRule } from './actor.ts';
import { failed, released, succeeded, takenBack } from './settlements.ts';

const DONE = '{"charge":{"ms":7,"result":"paid: \\u0000 é 鍵"}}';
const MORE = '{"charge":{"ms":7,"result":"paid: \\u0000 é 鍵"},"mail":{"ms":9}}';

/** Of a store that keeps what attempts have done. */
export const STEPS: StoreRule = {
  rule: 'the steps of an attempt are kept only for its token, and given to each claim until the record succeeds',
  cases: {
    async 'steps replace earlier ones, and a takeover gets them'(actor) {
      await actor.claim('key', ALICE);
      equals(await actor.keep('key', ALICE, DONE), 'kept');
      equals(await actor.keep('key', ALICE, MORE), 'kept');
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), { kind: 'claimed', attempts: 2, steps: MORE });
    },

    async 'steps are not replaced by fewer: a statement can come late'(actor) {
      await actor.claim('key', ALICE);
      await actor.keep('key', ALICE, MORE);
      equals(await actor.keep('key', ALICE, DONE), 'kept');
      equals(await actor.keep('key', ALICE, '{"é":{"ms":7}}'), 'kept');
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), { steps: MORE });
    },

    async 'steps stay after a failure, an interruption, and a claim that kept none'(actor) {
      await actor.claim('key', ALICE);
      await actor.keep('key', ALICE, DONE);
      await actor.settle('key', ALICE, released('{}', 0));
      matches(await actor.claim('key', BOB), { kind: 'claimed', steps: DONE });
      await actor.settle('key', BOB, takenBack());
      matches(await actor.claim('key', CAROL), { kind: 'claimed', steps: DONE });
    },

    async 'steps are lost for a token that is not the owner, and change nothing'(actor) {
      equals(await actor.keep('key', ALICE, DONE), 'lost');
      await actor.claim('key', ALICE);
      await actor.keep('key', ALICE, DONE);
      equals(await actor.keep('key', BOB, MORE), 'lost');
      await actor.advance(LEASE);
      matches(await actor.claim('key', BOB), { steps: DONE });
      equals(await actor.keep('key', ALICE, MORE), 'lost');
      await actor.settle('key', BOB, released('{}', 0));
      equals(await actor.keep('key', BOB, MORE), 'lost');
      matches(await actor.claim('key', CAROL), { steps: DONE });
    },

    async 'steps of a settled record are lost'(actor) {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, failed('{}'));
      equals(await actor.keep('key', ALICE, DONE), 'lost');
    },

    async 'steps end with the life of their key'(actor) {
      for (const end of [succeeded('1'), failed('{}')]) {
        await actor.claim(end.kind, ALICE, { fingerprint: NO_FINGERPRINT });
        await actor.keep(end.kind, ALICE, DONE);
        await actor.settle(end.kind, ALICE, end);
        await actor.advance(HOUR);
        const next = await actor.claim(end.kind, BOB);
        matches(next, { kind: 'claimed', attempts: 1 });
        equals('steps' in next, false);
      }
    },

    async 'steps do not extend the lease'(actor) {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE - 1);
      await actor.keep('key', ALICE, DONE);
      await actor.advance(1);
      matches(await actor.claim('key', BOB), { kind: 'claimed', deadToken: ALICE });
    },

    async 'steps of many records are kept apart, each for its token'(actor) {
      const { store, scope } = actor;
      const keys = ['a', 'b', 'c', 'd'];
      for (const key of keys) await actor.claim(key, key === 'c' ? BOB : ALICE);
      const requests = keys.map((key) => ({ key, token: ALICE, steps: `{"${key}":{"ms":1}}` }));
      const replies = await store.keep?.(requests.toReversed(), scope);
      equals(replies, ['kept', 'lost', 'kept', 'kept']);
      await actor.advance(LEASE);
      for (const key of ['a', 'b', 'd'])
        matches(await actor.claim(key, CAROL), { steps: `{"${key}":{"ms":1}}` });
      equals(await store.keep?.([], scope), []);
    },

    async 'steps are of one scope'(actor) {
      const other = actor.inScope(`${actor.scope} beside`);
      await actor.claim('key', ALICE);
      await other.claim('key', ALICE);
      await actor.keep('key', ALICE, DONE);
      await other.advance(LEASE);
      equals('steps' in (await other.claim('key', BOB)), false);
    },
  },
};
