import type postgres from 'postgres';
import { spread } from '../statistics.ts';

const ROUND_TRIPS = 300;

/** The median of what a round trip takes, in milliseconds. */
export async function roundTripMs(trip: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < ROUND_TRIPS; count += 1) {
    const startedAt = performance.now();
    await trip();
    took.push(performance.now() - startedAt);
  }
  return Number(spread(took).median.toFixed(3));
}

/** That of `select 1` on one connection. */
export async function selectMs(sql: postgres.Sql): Promise<number> {
  const connection = await sql.reserve();
  try {
    return await roundTripMs(() => connection`select 1`);
  } finally {
    connection.release();
  }
}
