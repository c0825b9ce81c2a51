import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { actorOn, PAYLOAD, TERMS } from '../../../testing/contracts/store/actor.ts';
import { succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const WORKERS = 10;
const ROUNDS = 15;
const KEYS_PER_ROUND = 40;

const { url, sql } = useDatabase();
const workers = useClient(url, { max: WORKERS });

test('workers that claim and settle the same keys in overlapping batches share each key out to one', async () => {
  const { store, scope } = actorOn(controlledPostgresStore(sql, workers));
  const ownersOf = new Map<string, number>();

  async function work(worker: number, round: number): Promise<void> {
    const token = `00000000-0000-4000-9000-${String(round * WORKERS + worker).padStart(12, '0')}`;
    const keys = Array.from(
      { length: KEYS_PER_ROUND },
      (_, index) => `${round}/${(index * 7 + worker) % KEYS_PER_ROUND}`,
    );
    const requests = keys.map((key) => ({ key, token, fingerprint: PAYLOAD }));
    const replies = await store.claim(requests, { scope, ...TERMS });
    const owned = keys.filter((_, index) => replies[index]?.kind === 'claimed');
    for (const key of owned) ownersOf.set(key, (ownersOf.get(key) ?? 0) + 1);
    const settles = owned.map((key) => ({ key, token, settlement: succeeded() }));
    expect(await store.settle(settles, scope)).toEqual(owned.map(() => 'settled'));
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker, round)));
  }
  expect(ownersOf.size).toBe(ROUNDS * KEYS_PER_ROUND);
  expect(new Set(ownersOf.values())).toEqual(new Set([1]));
});
