import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { type Actor, actorOn, ALICE, BOB, HOUR, LEASE } from '../../../testing/contracts/store/actor.ts';
import { failed, released, succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();

async function createdAt({ scope }: Actor): Promise<string | undefined> {
  const [row] = await sql<{ created_at: string }[]>`
    select created_at::text from handle_once.records where scope = ${scope}`;
  return row?.created_at;
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
  expect(await createdAt(actor)).toBe(first);
});

test('a key that is claimed after its record expired begins a new life, with a time of its own', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('key', ALICE);
  await actor.settle('key', ALICE, succeeded('1', HOUR));
  const first = await createdAt(actor);
  await actor.advance(HOUR);
  await actor.claim('key', BOB);
  expect(await createdAt(actor)).not.toBe(first);
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
