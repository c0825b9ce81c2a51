import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import {
  type Actor,
  actorOn,
  ALICE,
  BOB,
  HOUR,
  LEASE,
  MINUTE,
} from '../../../testing/contracts/store/actor.ts';
import { released, succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const YEAR = 365 * 24 * HOUR;

const { sql } = useDatabase();

describe.each([
  ['a year ahead', YEAR],
  ['a year behind', -YEAR],
])("When a worker's clock is %s", (_, error) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + error });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function owned(): Promise<Actor> {
    const actor = actorOn(controlledPostgresStore(sql));
    await actor.claim('key', ALICE);
    return actor;
  }

  test('its lease runs as long as any other', async () => {
    const actor = await owned();
    await actor.advance(LEASE - MINUTE / 2);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight' });
    await actor.advance(MINUTE / 2);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed' });
  });

  test('its heartbeats, backoffs and records last as long as any other', async () => {
    const actor = await owned();
    await actor.extend('key', ALICE, 2 * LEASE);
    await actor.advance(LEASE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight' });
    await actor.settle('key', ALICE, released(null, HOUR));
    await actor.advance(HOUR - MINUTE);
    expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'released' });
    await actor.advance(MINUTE);
    await actor.claim('key', BOB);
    await actor.settle('key', BOB, succeeded('1', HOUR));
    await actor.advance(HOUR - MINUTE);
    expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'succeeded' });
    await actor.advance(MINUTE);
    expect(await actor.claim('key', ALICE)).toMatchObject({ kind: 'claimed', attempts: 1 });
  });

  test('its records are dated by the clock of the database', async () => {
    const { scope } = await owned();
    const [row] = await sql<{ age: number }[]>`
      select extract(epoch from clock_timestamp() - created_at)::float8 as age
      from handle_once.records where scope = ${scope}`;
    expect(row?.age).toBeGreaterThanOrEqual(0);
    expect(row?.age).toBeLessThan(60);
  });
});
