import { ok } from 'node:assert/strict';
import { type Actor, ALICE, BOB, LEASE, SECOND, type StoreRule } from './actor.ts';
import { released, succeeded } from './settlements.ts';

const KEYS = ['owned', 'released', 'succeeded'];
const REST = 20 * SECOND;

/** What `open` gives besides the store: without it, each case about time fails for a reason that is not the store's. */
export const ADVANCE: StoreRule = {
  rule: 'advance(scope, milliseconds) lets that time pass for the leases, backoffs and retentions of the scope',
  cases: {
    async 'advance moves the clock of the records by milliseconds'(actor) {
      for (const key of KEYS) await actor.claim(key, ALICE);
      await actor.settle('released', ALICE, released(null, LEASE));
      await actor.settle('succeeded', ALICE, succeeded(null, LEASE));
      await actor.advance(LEASE - REST);
      const early = await claimed(actor);
      ok(early.length === 0, `advance moves records too far: ${early.join(', ')}. Does it get milliseconds?`);
      await actor.advance(REST);
      const moved = await claimed(actor);
      const late = KEYS.filter((key) => !moved.includes(key));
      ok(
        late.length === 0,
        `advance moves records too little: ${late.join(', ')}. Does it add milliseconds?`,
      );
    },
  },
};

async function claimed(actor: Actor): Promise<string[]> {
  const replies = await Promise.all(KEYS.map((key) => actor.claim(key, BOB)));
  return KEYS.filter((_, index) => replies[index]?.kind === 'claimed');
}
