import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { HandleOnce } from 'handle-once';
import { built } from '../built.ts';
import { connect, withDatabase } from '../database.ts';
import type { Section } from '../section.ts';
import { percentile, rounded, spread } from '../statistics.ts';

const IN_FLIGHT = 100;
const RECORDS = 'handle_once.records';

/** How long calls take at full load, and how long beside a walk that purges. Of each round the ratio of both. */
export const maintenance: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql, url }) => {
    const { createHandleOnce, migrate } = await built.core();
    const { maintain } = await built.operations();
    await migrate(sql);
    const handleOnce = createHandleOnce({ sql, scope: 'bench' });
    const walker = connect(url);
    const alone: number[] = [];
    const beside: number[] = [];
    let purged = 0;
    for (let round = 0; round < sizes.rounds; round += 1) {
      const kinds = [alone, beside];
      for (const p99s of round % 2 === 0 ? kinds : kinds.toReversed()) {
        await fillExpired(sql, sizes.expired);
        const seconds = sizes.secondsEach * SECONDS;
        const walk = p99s === beside ? maintain({ sql: walker, maxMs: seconds * 1_000 }) : undefined;
        p99s.push(await p99Of(handleOnce, seconds));
        const report = await walk;
        if (report?.state === 'stopped') purged += report.purged;
        if (report?.state === 'finished') purged += report.purged;
        await sql`truncate handle_once.maintenance`;
      }
    }
    await walker.end();
    const ratios = beside.map((p99, round) => p99 / (alone[round] ?? Number.NaN));
    const { median, min, max } = rounded(spread(ratios), 2);
    const facts = {
      ...{ rounds: sizes.rounds, inFlight: IN_FLIGHT, expired: sizes.expired, purged },
      'p99 in ms': rounded(spread(alone), 1).median,
      'p99 in ms beside a purge': rounded(spread(beside), 1).median,
      ratio: `${median} (${min} to ${max})`,
    };
    return { facts, comparisons: [] };
  });

/** Of `sizes.secondsEach`: a purge has to last. */
const SECONDS = 15;

/** The table is made again: each round begins with the same pages. */
async function fillExpired(sql: postgres.Sql, count: number): Promise<void> {
  await sql.unsafe(`delete from ${RECORDS}`);
  await sql.unsafe(`vacuum ${RECORDS}`);
  await sql.unsafe(`
    insert into ${RECORDS} (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at, result)
    select 'old', gen_random_uuid()::text, gen_random_uuid(), decode(repeat('00', 33), 'hex'), 'succeeded', false, 1,
      now() - interval '1 hour', now() - interval '7 days', '{"ok":true}'
    from generate_series(1, ${count})`);
  await sql.unsafe(`vacuum analyze ${RECORDS}`);
  await sql`checkpoint`;
}

async function p99Of(handleOnce: HandleOnce, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000;
  const took: number[] = [];
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        await handleOnce(randomUUID(), 'body', () => undefined);
        took.push(performance.now() - startedAt);
      }
    }),
  );
  return percentile(took, 0.99);
}
