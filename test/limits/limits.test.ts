import { expect, test } from 'vitest';
import { atOnce, inFlight, oneKey } from '../../proof/limits/loads.ts';
import { useDatabase } from '../support/database.ts';

// The short form of what `npm run proof -- limits` does for ten minutes.

const { sql } = useDatabase();

test('with 200 messages in flight each is handled at its first attempt', async () => {
  const figures = await inFlight(sql, { lanes: 200, forMs: 1_000, handlerMs: 50 });
  expect(figures).toMatchObject({ wrong: 0, calls: figures.runs });
  expect(figures.calls).toBeGreaterThanOrEqual(200);
});

test('of 2,000 calls at once each is handled at its first attempt', async () => {
  expect(await atOnce(sql, 2_000)).toMatchObject({ calls: 2_000, runs: 2_000, wrong: 0 });
});

test('of 500 callers of one key one runs the handler, and all get its result', async () => {
  const figures = await oneKey(sql, { callers: 500, handlerMs: 100, waitMs: 60_000 });
  expect(figures).toMatchObject({ calls: 500, runs: 1, wrong: 0 });
});
