import { expect, test } from 'vitest';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { useDatabase } from '../../support/database.ts';
import { actorOn, ALICE, BOB, LEASE, PAYLOAD, TERMS } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

const { sql } = useDatabase();
const store = createPostgresStore(sql, 'handle_once');

// The key that is held stands between the others: statements lock records in the order of keys.
const KEYS = ['a', 'm', 'z'];

async function withHeldRecord() {
  const actor = actorOn(controlledPostgresStore(sql));
  for (const key of KEYS) await actor.claim(key, ALICE);
  await actor.advance(LEASE);
  return { actor, scope: actor.scope, held: await holdKey(sql, actor.scope, 'm') };
}

test.each([KEYS, ['m']])('a settle of %s is told of a record that is locked', async (...keys) => {
  const { scope, held } = await withHeldRecord();
  const requests = keys.map((key) => ({ key, token: ALICE, settlement: succeeded() }));
  const replies = await store.settle(requests, scope);
  expect(replies).toEqual(keys.map((key) => (key === 'm' ? 'locked' : 'settled')));
  await held.release();
  expect(await store.settle(requests, scope)).toEqual(keys.map(() => 'settled'));
});

test.each([KEYS, ['m']])('a heartbeat of %s is told of a record that is locked', async (...keys) => {
  const { scope, held } = await withHeldRecord();
  const requests = keys.map((key) => ({ key, token: ALICE }));
  const replies = await store.extend(requests, { scope, leaseMs: LEASE });
  expect(replies).toEqual(keys.map((key) => (key === 'm' ? 'locked' : 'extended')));
  await held.release();
});

test.each([KEYS, ['m']])('a claim of %s is told of a record that is locked', async (...keys) => {
  const { scope, held } = await withHeldRecord();
  const requests = keys.map((key) => ({ key, token: BOB, fingerprint: PAYLOAD }));
  const replies = await store.claim(requests, { ...TERMS, scope });
  const inFlight = { kind: 'in-flight', attempts: 1, retryAfterMs: LEASE / 3 };
  expect(replies).toMatchObject(keys.map((key) => (key === 'm' ? inFlight : { kind: 'claimed' })));
  await held.release();
});

test('a heartbeat that waited for a lock does not shorten the lease of one that came later', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  for (const key of ['a', 'z']) await actor.claim(key, ALICE);
  const liveUntil = async (): Promise<Date | undefined> => {
    const [row] = await sql<{ live_until: Date }[]>`
      select live_until from handle_once.records where scope = ${actor.scope} and key = 'z'`;
    return row?.live_until;
  };
  const held = await holdKey(sql, actor.scope, 'a');
  const requests = ['a', 'z'].map((key) => ({ key, token: ALICE }));
  const early = actor.store.extend(requests, { scope: actor.scope, leaseMs: LEASE });
  await held.waitedForBy(1);
  await actor.extend('z', ALICE);
  const later = await liveUntil();
  await held.release();
  expect(await early).toEqual(['extended', 'extended']);
  expect(await liveUntil()).toEqual(later);
});
