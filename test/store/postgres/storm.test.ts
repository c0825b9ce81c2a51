import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { actorOn, PAYLOAD, TERMS } from '../../../src/store/contract/actor.ts';
import type { SettleRequest } from '../../../src/store.ts';
import { released, succeeded } from '../../../src/store/contract/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const WORKERS = 10;
const ROUNDS = 15;
const KEYS_PER_ROUND = 40;
const KEYS_PER_TURN = 20;
const TURNS = 4;

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

test('workers that exchange, claim, settle and take over in overlapping batches never deadlock', async () => {
  const { store, scope } = actorOn(controlledPostgresStore(sql, workers));
  const exchange = store.exchange ?? expect.unreachable();
  // Leases lapse at once: a settle of the turn before is that of a zombie where others were sooner.
  const terms = { scope, ...TERMS, leaseMs: 1, maxDeaths: Infinity, mayOwnSuspects: true };
  let tokens = 0;

  async function work(worker: number, round: number): Promise<void> {
    let mine: SettleRequest[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      tokens += 1;
      const token = `00000000-0000-4000-9000-${String(tokens).padStart(12, '0')}`;
      const claims = Array.from({ length: KEYS_PER_TURN }, (_, index) => {
        const key = `${round}/${(index * 7 + worker * turn) % KEYS_PER_ROUND}`;
        return { key, token, fingerprint: PAYLOAD };
      });
      const replies = mine.length === 0 ? undefined : await exchange.send(claims, mine, terms);
      const left = claims.filter((_, index) => replies?.claims[index] === undefined);
      const taken = await store.claim(left, terms);
      const owned = claims.filter((claim, index) => {
        const reply = replies?.claims[index] ?? taken[left.indexOf(claim)];
        return reply?.kind === 'claimed';
      });
      const settlement = turn % 2 === 0 ? released() : succeeded();
      mine = owned.map(({ key }) => ({ key, token, settlement }));
    }
    await store.settle(mine, scope);
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker, round)));
  }
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks::integer from pg_stat_database where datname = current_database()`;
  expect(row).toEqual({ deadlocks: 0 });
});
