import type { DatabaseClient, DatabaseQueries } from 'handle-once';
import { maintain, type MaintenanceReport, readStatus } from 'handle-once/operations';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { takeWalk } from '../../adapters/operations/runner.ts';
import { maintenanceStatements } from '../../adapters/operations/statements/maintenance.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const { sql } = useDatabase();

/** Two steps of a walk. */
const RECORDS = 3_000;

async function fill(): Promise<void> {
  await sql`truncate handle_once.records, handle_once.maintenance, handle_once.census`;
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1,
      now() + (n % 2 - 0.5) * interval '1 day', now()
    from generate_series(1, ${RECORDS}) n`;
}

beforeEach(fill);

/** Does something before or after each statement, in transactions too. */
function watchedClient(before: () => void, after: () => Promise<void> | void): DatabaseClient {
  const client = toDatabaseClient(sql) as DatabaseClient;
  const watched = (queries: DatabaseQueries): DatabaseQueries => ({
    async query(statement, parameters) {
      before();
      const rows = await queries.query(statement, parameters);
      await after();
      return rows;
    },
    execute: (statements) => queries.execute(statements),
  });
  return {
    ...watched(client),
    begin: (work) => client.begin(work),
    in: (transaction) => watched(client.in(transaction)),
  };
}

/** The lease of the runner that is gone lapses. */
async function lapse(): Promise<void> {
  await sql`update handle_once.maintenance set live_until = now()`;
}

async function left() {
  const [row] = await sql<{ live: number; expired: number }[]>`
    select count(*) filter (where live_until > now())::int as live,
      count(*) filter (where live_until <= now())::int as expired
    from handle_once.records`;
  return row;
}

const dead = (): never => {
  throw Object.assign(new Error('killed'), { code: 'CONNECTION_CLOSED' });
};

describe.each(['before', 'after'])('A runner that dies %s a statement', (when) => {
  test('leaves a walk that another ends, with the same figures, wherever it died', async () => {
    for (let diesAt = 1; ; diesAt += 1) {
      await fill();
      let statements = 0;
      const count = (): void => {
        statements += 1;
        if (statements >= diesAt) dead();
      };
      const idle = (): void => undefined;
      const client = when === 'before' ? watchedClient(count, idle) : watchedClient(idle, count);
      const ended = await maintain({ sql: client }).catch(() => undefined);
      await lapse();
      const hasEnded = (await readStatus({ sql })).length > 0;
      const purged = hasEnded ? 0 : RECORDS / 2;
      expect(await maintain({ sql })).toEqual({
        state: 'finished',
        purged,
        records: RECORDS / 2,
        abandoned: 0,
      });
      expect(await left()).toEqual({ live: RECORDS / 2, expired: 0 });
      expect(await readStatus({ sql })).toMatchObject([{ state: 'succeeded', records: RECORDS / 2 }]);
      if (ended !== undefined) return;
    }
  });
});

test('a runner that another has taken over from stops, and writes nothing', async () => {
  let statements = 0;
  let others: unknown;
  const client = watchedClient(
    () => undefined,
    async () => {
      statements += 1;
      if (statements !== 4) return;
      await lapse();
      others = await maintain({ sql });
    },
  );
  const late = await maintain({ sql: client });
  expect(others).toMatchObject({ state: 'finished', records: RECORDS / 2 });
  expect(late).toMatchObject({ state: 'stopped', reason: 'taken-over', purged: 0 });
  expect(await readStatus({ sql })).toMatchObject([{ records: RECORDS / 2 }]);
  expect(await left()).toEqual({ live: RECORDS / 2, expired: 0 });
});

test('of many at once one walks, and all records are counted once', async () => {
  const busy: unknown[] = [];
  /** The one that walks goes on when the others have been told: a late one would walk after it. */
  const runner = async (): Promise<MaintenanceReport> => {
    let statements = 0;
    const client = watchedClient(
      () => undefined,
      async () => {
        statements += 1;
        if (statements === 4) await until(() => busy.length === 4);
      },
    );
    const report = await maintain({ sql: client });
    if (report.state === 'busy') busy.push(report);
    return report;
  };
  const reports = await Promise.all(Array.from({ length: 5 }, runner));
  expect(reports.filter(({ state }) => state === 'finished')).toHaveLength(1);
  expect(await readStatus({ sql })).toMatchObject([{ records: RECORDS / 2 }]);
});

test('a finish whose answer is lost is not a walk that is to be ended again', async () => {
  let hasFinished = false;
  const client = watchedClient(
    () => undefined,
    () => undefined,
  );
  const losing: DatabaseClient = {
    ...client,
    async begin(work) {
      await client.begin(work);
      hasFinished = true;
      return dead();
    },
  };
  await expect(maintain({ sql: losing })).rejects.toMatchObject({ code: 'STORE' });
  expect(hasFinished).toBe(true);
  await sql`update handle_once.records set live_until = now() where key = '1'`;
  expect(await maintain({ sql })).toEqual({
    state: 'finished',
    purged: 1,
    records: RECORDS / 2 - 1,
    abandoned: 0,
  });
});

test.each([
  [0, 1_000],
  [100, 2_000],
  [9_000, 20_000],
])('where it takes %i ms to keep a place, the next is kept %i ms later', async (tookMs, laterMs) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const statements = maintenanceStatements('handle_once');
  let kept = 0;
  const client = {
    query(statement: string) {
      if (statement === statements.keep) {
        kept += 1;
        vi.advanceTimersByTime(tookMs);
      }
      return Promise.resolve([[null]]);
    },
  } as unknown as DatabaseClient;
  const runner = await takeWalk(client, statements, false);
  const keptAfter = async (waitMs: number): Promise<number> => {
    vi.advanceTimersByTime(waitMs);
    await runner?.reached('records', 1);
    return kept;
  };
  expect([await keptAfter(1_000), await keptAfter(laterMs - 1), await keptAfter(1)]).toEqual([1, 1, 2]);
});
