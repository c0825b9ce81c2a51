import { describe, expect, test } from 'vitest';
import type { ClaimReply, SettleReply } from '../../../src/store.ts';
import { useDatabase } from '../../support/database.ts';
import { type Actor, actorOn, ALICE, BOB, HOUR, LEASE } from '../../../testing/contracts/store/actor.ts';
import { released, succeeded, takenBack } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

const CLAIMERS = 30;
const ageMs: unknown = expect.any(Number);
const FRESH = { kind: 'claimed', attempts: 1, failures: 0, ageMs, deadToken: null };
const TAKEN_OVER = { kind: 'claimed', attempts: 2, failures: 0, ageMs, deadToken: ALICE };
const CLAIMED_AGAIN = { kind: 'claimed', attempts: 2, failures: 1, ageMs, deadToken: null };

/** States from which a claim can own the key, and what the one that does is told. */
const CLAIMABLE: [name: string, reach: (actor: Actor) => Promise<unknown>, claimed: object][] = [
  ['an absent', () => Promise.resolve(), FRESH],
  [
    'a lapsed',
    async (actor) => {
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
    },
    TAKEN_OVER,
  ],
  [
    'a released',
    async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
    },
    CLAIMED_AGAIN,
  ],
  [
    'an expired',
    async (actor) => {
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, succeeded('"old"', HOUR));
      await actor.advance(HOUR);
    },
    FRESH,
  ],
];

const { url, sql } = useDatabase();

describe.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'When sessions are %s',
  (level) => {
    const workers = useClient(url, { max: CLAIMERS, connection: { default_transaction_isolation: level } });
    const newActor = () => actorOn(controlledPostgresStore(sql, workers));
    const tokenOf = (worker: number) => `00000000-0000-4000-9000-${String(worker).padStart(12, '0')}`;

    test('the sessions have that level', async () => {
      expect(await workers`select current_setting('transaction_isolation') as level`).toEqual([{ level }]);
    });

    test.each(CLAIMABLE)(
      'of many that claim %s key at one moment exactly one owns it',
      async (_, reach, claimed) => {
        const actor = newActor();
        await reach(actor);
        const held = await holdKey(sql, actor.scope, 'key');
        const tokens = Array.from({ length: CLAIMERS }, (__, worker) => tokenOf(worker));
        const claims = tokens.map((token) => actor.claim('key', token));
        await held.waitedForBy(CLAIMERS);
        await held.release();
        const replies = await Promise.all(claims);
        expect(replies.filter(({ kind }) => kind === 'claimed')).toEqual([claimed]);
        expect(replies.filter(({ kind }) => kind === 'in-flight')).toHaveLength(CLAIMERS - 1);
        const owner = tokens[replies.findIndex(({ kind }) => kind === 'claimed')] ?? '';
        expect(await actor.settle('key', owner, succeeded())).toBe('settled');
      },
    );

    test('of many that find the attempts used up at the same time, exactly one failed the record', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE, { maxAttempts: 1 });
      await actor.settle('key', ALICE, released('{"message":"last"}'));
      const held = await holdKey(sql, actor.scope, 'key');
      const claims = Array.from({ length: CLAIMERS }, (_, worker) =>
        actor.claim('key', tokenOf(worker), { maxAttempts: 1 }),
      );
      await held.waitedForBy(CLAIMERS);
      await held.release();
      const replies = await Promise.all(claims);
      const failed = {
        kind: 'failed',
        attempts: 1,
        reason: 'attempts-exhausted',
        error: '{"message":"last"}',
      };
      const first = replies.filter((reply) => reply.kind === 'failed' && !reply.replayed);
      expect(first).toEqual([{ ...failed, replayed: false }]);
      expect(replies.filter((reply) => reply.kind === 'failed')).toHaveLength(CLAIMERS);
    });

    test('a claim whose first copy is still under way is answered as that copy', async () => {
      const actor = newActor();
      const held = await holdKey(sql, actor.scope, 'key');
      const claims = [actor.claim('key', ALICE), actor.claim('key', ALICE)];
      await held.waitedForBy(2);
      await held.release();
      expect(await Promise.all(claims)).toEqual([FRESH, FRESH]);
    });

    test('a settle whose first copy is still under way is settled, and applied once', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.settle('key', ALICE, released());
      await actor.claim('key', BOB);
      const held = await holdKey(sql, actor.scope, 'key');
      const settles = [actor.settle('key', BOB, takenBack()), actor.settle('key', BOB, takenBack())];
      await held.waitedForBy(2);
      await held.release();
      expect(await Promise.all(settles)).toEqual(['settled', 'settled']);
      expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'claimed', attempts: 2 });
    });

    async function settleAgainstTakeover(first: 'settle' | 'claim'): Promise<[SettleReply, ClaimReply]> {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      const held = await holdKey(sql, actor.scope, 'key');
      const send = {
        settle: () => actor.settle('key', ALICE, succeeded('"slow"')),
        claim: () => actor.claim('key', BOB),
      };
      const sent: Partial<{ settle: Promise<SettleReply>; claim: Promise<ClaimReply> }> = {};
      const order = first === 'settle' ? (['settle', 'claim'] as const) : (['claim', 'settle'] as const);
      for (const [index, verb] of order.entries()) {
        Object.assign(sent, { [verb]: send[verb]() });
        await held.waitedForBy(index + 1);
      }
      await held.release();
      return [await (sent.settle as Promise<SettleReply>), await (sent.claim as Promise<ClaimReply>)];
    }

    test.each(['settle', 'claim'] as const)(
      'a settle and a takeover at one moment agree, %s first',
      async (first) => {
        const replies = await settleAgainstTakeover(first);
        const settled = [
          'settled',
          { kind: 'succeeded', attempts: 1, result: '"slow"', resultOmitted: null },
        ];
        const takenOver = ['lost', TAKEN_OVER];
        expect([settled, takenOver]).toContainEqual(replies);
      },
    );

    test('an extension and a takeover at one moment agree', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      const held = await holdKey(sql, actor.scope, 'key');
      const replies = Promise.all([actor.extend('key', ALICE), actor.claim('key', BOB)]);
      await held.waitedForBy(2);
      await held.release();
      const [extended, claimed] = await replies;
      expect(`${extended}, ${claimed.kind}`).toMatch(/^(extended, in-flight|lost, claimed)$/);
    });

    test('a heartbeat at the same moment does not fence its own settle', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      const held = await holdKey(sql, actor.scope, 'key');
      const replies = Promise.all([actor.extend('key', ALICE), actor.settle('key', ALICE, succeeded())]);
      await held.waitedForBy(2);
      await held.release();
      expect((await replies)[1]).toBe('settled');
    });
  },
);
