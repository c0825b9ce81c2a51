import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { type Actor, actorOn, ALICE, BOB, HOUR, LEASE } from '../../../testing/contracts/store/actor.ts';
import { failed, released, succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();

/** In milliseconds. */
async function createdAt({ scope }: Actor): Promise<number> {
  const [row] = await sql<{ at: number }[]>`
    select (extract(epoch from created_at) * 1000)::float8 as at from handle_once.records where scope = ${scope}`;
  return row?.at ?? 0;
}

test('a record keeps the time of its first claim over retries, takeovers, heartbeats and its end', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('key', ALICE);
  const first = await createdAt(actor);
  await actor.settle('key', ALICE, released());
  await actor.claim('key', ALICE);
  await actor.advance(LEASE);
  await actor.claim('key', BOB);
  await actor.extend('key', BOB);
  await actor.settle('key', BOB, succeeded());
  expect(await createdAt(actor)).toBeCloseTo(first - LEASE, 1);
});

test('a key that is claimed after its record expired begins a new life, with a time of its own', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('key', ALICE);
  await actor.settle('key', ALICE, succeeded('1', HOUR));
  const first = await createdAt(actor);
  await actor.advance(HOUR);
  await actor.claim('key', BOB);
  expect(await createdAt(actor)).toBeGreaterThan(first);
});

test.each([
  ['succeeded', succeeded('"old"', HOUR)],
  ['failed', failed('{"message":"old"}', 'terminal', HOUR)],
])(
  'a key that is claimed after its record %s and expired keeps nothing of it in the table',
  async (_, ending) => {
    const actor = actorOn(controlledPostgresStore(sql));
    await actor.claim('key', ALICE);
    await actor.settle('key', ALICE, ending);
    await actor.advance(HOUR);
    await actor.claim('key', BOB);
    const rows = await sql`
    select state, result, result_omitted, failed_reason, error from handle_once.records
    where scope = ${actor.scope}`;
    expect(rows).toEqual([
      { state: 'pending', result: null, result_omitted: null, failed_reason: null, error: null },
    ]);
  },
);
