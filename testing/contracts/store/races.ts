import { equals, matches } from '../assertions.ts';
import { each } from '../contract-case.ts';
import { type Actor, ALICE, BOB, HOUR, LEASE, PAYLOAD, type StoreRule, TERMS } from './actor.ts';
import { die } from './endings.ts';
import { released, succeeded } from './settlements.ts';

const CLAIMERS = 20;
const ROUNDS = 10;
const KEYS_OF_A_CALL = 40;

function tokenOf(worker: number): string {
  return `00000000-0000-4000-9000-${String(worker).padStart(12, '0')}`;
}

/** Records that a claim can own, and the reply to the one that does. */
const CLAIMABLE: [name: string, reach: (actor: Actor) => Promise<unknown>, claimed: object][] = [
  ['an absent', () => Promise.resolve(), { attempts: 1, failures: 0, deadToken: null }],
  ['a lapsed', (actor) => die(actor), { attempts: 2, failures: 0, deadToken: ALICE }],
  [
    'a released',
    async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
    },
    { attempts: 2, failures: 1, deadToken: null },
  ],
  [
    'an expired',
    async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('"old"', HOUR));
      await actor.advance(HOUR);
    },
    { attempts: 1, failures: 0, deadToken: null },
  ],
];

export const RACES: StoreRule = {
  rule: 'simultaneous calls act as if one came after the other: read and write in one atomic step of the store',
  cases: {
    ...each(
      CLAIMABLE,
      ([what]) => `of many that claim ${what} key at the same time, exactly one owns it`,
      async (actor: Actor, [, reach, claimed]) => {
        await reach(actor);
        const tokens = Array.from({ length: CLAIMERS }, (_, worker) => tokenOf(worker));
        const replies = await Promise.all(tokens.map((token) => actor.claim('key', token)));
        const others = replies.filter(({ kind }) => kind !== 'claimed');
        equals(replies.length - others.length, 1);
        matches(
          replies.filter(({ kind }) => kind === 'claimed'),
          [claimed],
        );
        matches(
          others,
          others.map(() => ({ kind: 'in-flight' })),
        );
        const owner = tokens[replies.findIndex(({ kind }) => kind === 'claimed')] ?? '';
        equals(await actor.settle('key', owner, succeeded()), 'settled');
      },
    ),

    async 'of many that find the attempts used up at the same time, exactly one failed the record'(actor) {
      const terms = { maxAttempts: 1 };
      await actor.claim('key', ALICE, terms);
      await actor.settle('key', ALICE, released());
      const claims = Array.from({ length: CLAIMERS }, (_, worker) =>
        actor.claim('key', tokenOf(worker), terms),
      );
      const replies = await Promise.all(claims);
      matches(
        replies,
        replies.map(() => ({ kind: 'failed', reason: 'attempts-exhausted' })),
      );
      equals(replies.filter((reply) => reply.kind === 'failed' && !reply.replayed).length, 1);
    },

    async 'of a settle and a takeover at the same time, one happens, and the reply to the other says so'(
      actor,
    ) {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const key = `key-${round}`;
        await actor.claim(key, ALICE);
        await actor.advance(LEASE);
        const [settled, claimed] = await Promise.all([
          actor.settle(key, ALICE, succeeded('"slow"')),
          actor.claim(key, BOB),
        ]);
        const isTaken = claimed.kind === 'claimed';
        equals([settled, isTaken], settled === 'settled' ? ['settled', false] : ['lost', true]);
      }
    },

    async 'of a heartbeat and a takeover at the same time, one happens, and the reply to the other says so'(
      actor,
    ) {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const key = `key-${round}`;
        await actor.claim(key, ALICE);
        await actor.advance(LEASE);
        const [extended, claimed] = await Promise.all([actor.extend(key, ALICE), actor.claim(key, BOB)]);
        equals(
          [extended, claimed.kind],
          extended === 'extended' ? ['extended', 'in-flight'] : ['lost', 'claimed'],
        );
      }
    },

    async 'simultaneous calls with the same keys in another order give each key one owner'({ store, scope }) {
      const ownersOf = new Map<string, string[]>();
      const work = async (worker: number): Promise<void> => {
        const token = tokenOf(worker);
        const keys = Array.from(
          { length: KEYS_OF_A_CALL },
          (_, index) => `key-${(index * 7 + worker) % KEYS_OF_A_CALL}`,
        );
        const requests = keys.map((key) => ({ key, token, fingerprint: PAYLOAD }));
        const replies = await store.claim(requests, { scope, ...TERMS });
        const owned = keys.filter((_, index) => replies[index]?.kind === 'claimed');
        for (const key of owned) ownersOf.set(key, [...(ownersOf.get(key) ?? []), token]);
        const settles = owned.map((key) => ({ key, token, settlement: succeeded() }));
        equals(
          await store.settle(settles, scope),
          owned.map(() => 'settled'),
        );
      };
      await Promise.all(Array.from({ length: CLAIMERS }, (_, worker) => work(worker)));
      equals(ownersOf.size, KEYS_OF_A_CALL);
      equals(
        [...ownersOf.values()].filter((owners) => owners.length !== 1),
        [],
      );
    },
  },
};
