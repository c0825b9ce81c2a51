import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HandleOnce } from 'handle-once';
import type { Dashboard } from 'handle-once/dashboard';
import { built } from '../built.ts';
import { connect, withDatabase } from '../database.ts';
import type { Section } from '../section.ts';
import { percentile, rounded, spread } from '../statistics.ts';
import { fillReused } from './fill.ts';

const KEY = 'order-000004200';
const COLUMNS = 'scope, key, state, attempts, created_at, began_at, live_until, error';

/** Each page, and the query that a person would write in its place. */
const PAGES: Readonly<Record<string, { readonly view: string; readonly plain: string }>> = {
  'one message': {
    view: `view=message&scope=bench&key=${KEY}`,
    plain: `select * from handle_once.records where scope = 'bench' and key = '${KEY}'`,
  },
  'messages by key': {
    view: 'view=messages&scope=bench&key=order-0000042',
    plain: `select ${COLUMNS} from handle_once.records where scope = 'bench' and key like 'order-0000042%' order by key limit 50`,
  },
  'messages by place': {
    view: 'view=messages&by=place&phase=failed',
    plain: `select ${COLUMNS} from handle_once.records where ctid < '(2048,0)' and state = 'failed' limit 50`,
  },
  'failed messages': {
    view: 'view=messages&phase=failed',
    plain: `select f.* from handle_once.failures f join handle_once.records using (scope, key) where state = 'failed' order by f.ended_at desc limit 50`,
  },
  'failures of a day': {
    view: 'view=failures',
    plain: `select scope, error, count(*) from handle_once.failures where ended_at > now() - interval '1 day' group by 1, 2`,
  },
  'messages by time': {
    view: 'view=messages&since=7d',
    plain: `select ${COLUMNS} from handle_once.records where created_at > now() - interval '7 days' order by created_at desc limit 50`,
  },
};

/** Pages of a large, reused table beside plain queries, and calls beside a page that is read each second. */
export const dashboard: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ sql, url }) => {
    const { createHandleOnce, migrate } = await built.core();
    const { createDashboard } = await built.dashboard();
    await migrate(sql);
    await fillReused(sql, sizes.partitionedRecords);
    const reader = connect(url);
    const pages = createDashboard({ sql: reader, authorize: () => ({ name: 'bench' }) });
    const facts: Record<string, string | number> = {
      rounds: sizes.rounds,
      records: sizes.partitionedRecords,
    };
    for (const [name, { view, plain }] of Object.entries(PAGES)) {
      const took = await alternately(
        sizes.rounds,
        () => show(pages, view),
        () => reader.unsafe(plain),
      );
      facts[`${name}, ms`] = `${took.page} (query ${took.plain}, ratio ${took.ratio})`;
    }
    const handleOnce = createHandleOnce({ sql, scope: 'calls' });
    const calls = await besidePages(handleOnce, pages, sizes.rounds, sizes.secondsEach * SECONDS);
    await reader.end();
    return { facts: { ...facts, ...calls }, comparisons: [] };
  });

async function show(pages: Dashboard, view: string): Promise<string> {
  const response = await pages(new Request(`http://127.0.0.1/?${view}`));
  if (!response.ok) throw new Error(await response.text());
  return await response.text();
}

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function alternately(rounds: number, page: () => Promise<unknown>, plain: () => PromiseLike<unknown>) {
  await timed(page);
  await timed(plain);
  const pages: number[] = [];
  const plains: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pages.push(await timed(page));
    plains.push(await timed(plain));
  }
  const of = (values: readonly number[], digits: number): number => rounded(spread(values), digits).median;
  const ratios = pages.map((ms, round) => ms / (plains[round] ?? Number.NaN));
  return { page: of(pages, 1), plain: of(plains, 1), ratio: of(ratios, 1) };
}

/** Of `sizes.secondsEach`: several pages have to fit. */
const SECONDS = 10;
const IN_FLIGHT = 10;

/** The 99th percentile of calls, alone and beside an overview that is read each second. */
async function besidePages(handleOnce: HandleOnce, pages: Dashboard, rounds: number, seconds: number) {
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const kinds = [alone, beside];
    for (const p99s of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const watching = p99s === beside ? watch(pages, seconds) : undefined;
      p99s.push(await p99Of(handleOnce, seconds));
      await watching;
    }
  }
  const { median, min, max } = rounded(
    spread(beside.map((p99, round) => p99 / (alone[round] ?? Number.NaN))),
    2,
  );
  return {
    'p99 of calls in ms': rounded(spread(alone), 1).median,
    'p99 beside a page each second': rounded(spread(beside), 1).median,
    ratio: `${median} (${min} to ${max})`,
  };
}

async function watch(pages: Dashboard, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    const ms = await timed(() => show(pages, 'view=overview'));
    await sleep(Math.max(0, 1_000 - ms));
  }
}

async function p99Of(handleOnce: HandleOnce, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000;
  const took: number[] = [];
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() < endsAt)
        took.push(await timed(() => handleOnce(randomUUID(), 'body', () => undefined)));
    }),
  );
  return percentile(took, 0.99);
}
