import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type postgres from 'postgres';
import {
  explainRecord,
  findRecords,
  forgetRecord,
  type RecordView,
  retryRecord,
} from 'handle-once/operations';
import { arraysOf } from '../../../src/postgres/batch.ts';
import { historyStatements } from '../../../adapters/operations/statements/history.ts';
import { purgeStatement } from '../../../adapters/operations/statements/purge.ts';
import { FAILURE_COLUMNS, logStatements } from '../../../src/history/statements/logs.ts';
import type { TransactionalStore } from '../../../src/store/transactional-store.ts';
import { HOUR } from '../../../testing/contracts/store/actor.ts';
import {
  batchOf,
  command,
  key,
  type Models,
  type Real,
  scope,
  settlement,
  step,
  STORE,
  token,
} from './commands.ts';
import type { Line, Walk } from './model.ts';

/** A database with no other records, so that they can be counted. */
export interface Database extends Real {
  readonly store: TransactionalStore<unknown>;
  readonly sql: postgres.Sql;
  /** That walks. */
  readonly runner: string;
}

/** Alone, since it is the last statement of its transaction. */
const settlesLast = fc.tuple(scope, batchOf(fc.record({ key, token, settlement }))).map(([where, requests]) =>
  command<Database>(
    `settleLast(${where}, ${fc.stringify(requests)})`,
    (models) => [models[where].settleLast(requests)],
    async ({ store, scopes }) => {
      const settled = store.begin(async (transaction) => {
        const reply = await store.settleLast(transaction, requests, scopes[where], 0);
        if (reply !== 'settled') throw new Error(reply);
        return reply;
      });
      return [await settled.catch((error: unknown) => (error as Error).message)];
    },
  ),
);

const ofOneRecord = fc.tuple(fc.constantFrom('here' as const, 'there' as const), key);

const finds = key.map((one) =>
  command<Database>(
    `find(${one})`,
    (models) => [models.here.show(one), models.there.show(one)].filter((shown) => shown !== undefined),
    async ({ sql }) => (await findRecords({ sql, key: one, result: true })).map(withoutTimes),
  ),
);

const retries = ofOneRecord.map(([where, one]) =>
  command<Database>(
    `retry(${where}, ${one})`,
    (models) => [models[where].retry(one)],
    async ({ sql, scopes }) => [await retryRecord({ sql, scope: scopes[where], key: one })],
  ),
);

const forgets = ofOneRecord.map(([where, one]) =>
  command<Database>(
    `forget(${where}, ${one})`,
    (models) => [models[where].forget(one)],
    async ({ sql, scopes }) => [await forgetRecord({ sql, scope: scopes[where], key: one })],
  ),
);

const line: fc.Arbitrary<Line> = fc.record({
  attempt: fc.integer({ min: 1, max: 99 }),
  ending: fc.constantFrom('released', 'died'),
  ageMs: fc.constantFrom(0, 0, HOUR / 2),
});
const NOT_COMPARED = { tookMs: null, batchSize: null, worker: null, error: null };
const lines = fc
  .tuple(ofOneRecord, fc.array(line, { minLength: 1, maxLength: 3 }))
  .map(([[where, one], written]) =>
    command<Database>(
      `write(${where}, ${one}, ${fc.stringify(written)})`,
      (models) => {
        models[where].write(one, written);
        return [];
      },
      async ({ sql, scopes }) => {
        const rows = written.map((each) => ({ ...each, ...NOT_COMPARED, key: one }));
        const columns = arraysOf(rows, FAILURE_COLUMNS);
        await sql.unsafe(logStatements('handle_once').failures, [scopes[where], ...columns]);
        return [];
      },
    ),
  );

const explanations = key.map((one) =>
  command<Database>(
    `explain(${one})`,
    (models) => [models.here.explain(one), models.there.explain(one)],
    async ({ sql, scopes }) => {
      const stories = [scopes.here, scopes.there].map((of) => explainRecord({ sql, scope: of, key: one }));
      return (await Promise.all(stories)).map(({ record, attempts }) => ({
        record: record && withoutTimes(record),
        attempts: attempts.map(({ attempt, ending }) => ({ attempt, ending })),
      }));
    },
  ),
);

/** Some time after what came before it, so that there is something to purge. */
const walk: fc.Arbitrary<Walk> = fc
  .tuple(fc.constantFrom(0, 2 * HOUR, 5 * HOUR), step, step, fc.constantFrom(false, false, true))
  .map(([afterMs, abandonedAfterMs, more, isTakenOver]) => ({
    ...{ afterMs, abandonedAfterMs, purgeAfterMs: abandonedAfterMs + more, isTakenOver },
  }));

/** A step of maintenance over all pages, with the archive, and one over the lines. */
const purges = walk.map((asked) =>
  command<Database>(
    `purge(${fc.stringify(asked)})`,
    (models) => purgedFrom(models, asked),
    async ({ sql, runner, pass }) => {
      const { afterMs, abandonedAfterMs, purgeAfterMs, isTakenOver } = asked;
      await pass(afterMs);
      const times = [String(abandonedAfterMs), String(purgeAfterMs)];
      const by = isTakenOver ? randomUUID() : runner;
      const counted = await sql.unsafe<Counted[]>(PURGE, [...ALL_PAGES, ...times, by]);
      const archived = await sql`
        with gone as (delete from handle_once.archive returning *)
        select key, token, state, encode(fingerprint, 'hex') as fingerprint, attempts, failures, deaths, error,
          failed_reason, result, steps
        from gone`;
      await sql.unsafe(historyStatements('handle_once').forgetFailures, [...ALL_PAGES, String(purgeAfterMs)]);
      const lines = await sql`select key, attempt, ending from handle_once.failures order by scope, key, id`;
      const [purged = [], left = []] = [true, false].map((isPurged) =>
        counted.filter((row) => (row.scope === null) === isPurged),
      );
      return [
        {
          purged: sumOf(purged, ({ records }) => Number(records)),
          records: sumOf(left, ({ records }) => Number(records)),
          abandoned: sumOf(left, ({ abandoned }) => Number(abandoned)),
        },
        new Set(archived),
        lines,
      ];
    },
  ),
);

interface Counted {
  readonly scope: string | null;
  readonly records: string;
  readonly abandoned: string | null;
}

const ALL_PAGES = ['(0,0)', '(1000000,0)'];
const PURGE = purgeStatement({
  leaf: 'handle_once.records',
  maintenance: 'handle_once.maintenance',
  failures: 'handle_once.failures',
  archive: 'handle_once.archive',
});

function purgedFrom(models: Models, asked: Walk): unknown[] {
  const all = [models.here, models.there].map((model) => {
    model.advance(asked.afterMs);
    return model.purge(asked);
  });
  const archived = all.flatMap((purged) => purged.archived);
  const records = sumOf(all, (purged) => purged.records);
  const abandoned = sumOf(all, (purged) => purged.abandoned);
  const lines = [...models.here.linesLeft(asked), ...models.there.linesLeft(asked)];
  return [{ purged: archived.length, records, abandoned }, new Set(archived), lines];
}

function sumOf<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/** The model knows no real time, no process and no name of a scope. */
function withoutTimes({ steps, ...record }: RecordView): object {
  const unknown = ['createdAt', 'beganAt', 'liveUntil', 'worker', 'scope'];
  const known = Object.entries(record).filter(([name]) => !unknown.includes(name));
  return { ...Object.fromEntries(known), ...(steps && { steps: steps.map(({ name }) => name) }) };
}

/** What a person does with records, and what is written about them: beside a store that is asked more. */
export const OPERATIONS = [
  ...STORE,
  ...STORE,
  settlesLast,
  finds,
  retries,
  forgets,
  lines,
  explanations,
  purges,
];
