import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import {
  type Actor,
  actorOn,
  ALICE,
  BOB,
  LEASE,
  PAYLOAD,
  TERMS,
} from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

// Upper and lower case, so that the order of bytes is not that of a dictionary.
const KEYS = ['B', 'a', 'C', 'd', 'E', 'f', 'G'];

type Batch = (actor: Actor, keys: readonly string[]) => Promise<readonly unknown[]>;

const claims: Batch = ({ store, scope }, keys) =>
  store.claim(
    keys.map((key) => ({ key, token: BOB, fingerprint: PAYLOAD })),
    { scope, ...TERMS },
  );
const settles: Batch = ({ store, scope }, keys) =>
  store.settle(
    keys.map((key) => ({ key, token: ALICE, settlement: succeeded() })),
    scope,
  );
const extensions: Batch = ({ store, scope }, keys) =>
  store.extend(
    keys.map((key) => ({ key, token: ALICE })),
    { scope, leaseMs: LEASE },
  );

const { url, sql } = useDatabase();
const workers = useClient(url, { max: 4 });

/**
 * Both batches run up to the key in the middle and wait there. If each had begun at its own end, they would now hold
 * what the other needs next.
 */
async function crossed(actor: Actor, first: Batch, second: Batch): Promise<unknown[]> {
  const held = await holdKey(sql, actor.scope, 'd');
  const batches = Promise.all([first(actor, KEYS), second(actor, KEYS.toReversed())]);
  await held.waitedForBy(2);
  await held.release();
  return batches;
}

async function lapsedRecords(): Promise<Actor> {
  const actor = actorOn(controlledPostgresStore(sql, workers));
  for (const key of KEYS) await actor.claim(key, ALICE);
  await actor.advance(LEASE);
  return actor;
}

test('batches of new keys in opposite order do not deadlock', async () => {
  const actor = actorOn(controlledPostgresStore(sql, workers));
  await expect(crossed(actor, claims, claims)).resolves.toHaveLength(2);
});

test.each([
  ['takeovers and takeovers', claims, claims],
  ['settles and settles', settles, settles],
  ['heartbeats and heartbeats', extensions, extensions],
  ['takeovers and settles', claims, settles],
  ['settles and takeovers', settles, claims],
  ['takeovers and heartbeats', claims, extensions],
  ['settles and heartbeats', settles, extensions],
] as const)('%s of the same keys in opposite order do not deadlock', async (_, first, second) => {
  await expect(crossed(await lapsedRecords(), first, second)).resolves.toHaveLength(2);
});
