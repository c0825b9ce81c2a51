import * as fc from 'fast-check';
import type { Sql } from 'postgres';
import { createHandleOnce, HandleOnceError } from '../../src/index.ts';
import {
  explainRecord,
  forgetRecord,
  listRecords,
  retryRecord,
  showRecord,
} from '../../adapters/operations/index.ts';
import { anyCall, checkCall, nothingTold, tellTo } from './any-call.ts';
import { anyValue, trickyText } from './values.ts';

const anyName = fc.oneof(
  { weight: 4, arbitrary: trickyText.map((name) => () => name) },
  { weight: 1, arbitrary: anyValue },
);

const OPERATIONS = { explainRecord, forgetRecord, listRecords, retryRecord, showRecord };

const anyOperation = fc.record({
  name: fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
  scope: anyName,
  key: anyName,
});

/** How many cases, of which seed, and where to begin. */
export interface Cases {
  readonly seed: number;
  readonly numRuns: number;
  readonly path?: string;
}

/**
 * Calls `handleOnce` and the operations with arguments of any kind, on a real database. Throws where one does not end
 * as documented, or has changed what is not its own.
 */
export async function fuzzDatabase(sql: Sql, cases: Cases): Promise<void> {
  const told = nothingTold();
  const handleOnce = createHandleOnce({ sql, scope: 'fuzz', ...tellTo(told) });
  // Of this run alone: the record of another, which runs beside it, may be pending still.
  const bystander = `bystander-${cases.seed}`;
  await createHandleOnce({ sql, scope: bystander })('key', 'payload', () => 'result');
  const before = await standing(sql, bystander);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(anyCall, anyOperation, async (call, operation) => {
      count += 1;
      const scoped = handleOnce.inScope({ kind: 'tenant', name: `${cases.seed}-${count}` });
      await checkCall(scoped, call, told);
      const scope = operation.scope();
      // Of the bystander nothing is asked that would be allowed to change it.
      if (scope !== bystander) await operate(sql, operation.name, scope, operation.key());
    }),
    cases,
  );
  const after = await standing(sql, bystander);
  if (after !== before) throw new Error(`the tables were changed: ${before} is now ${after}`);
}

async function operate(sql: Sql, name: keyof typeof OPERATIONS, scope: unknown, key: unknown): Promise<void> {
  const operation = OPERATIONS[name] as (options: object) => Promise<unknown>;
  try {
    await operation(name === 'listRecords' ? { sql, scope, limit: 1 } : { sql, scope, key });
  } catch (error) {
    if (error instanceof HandleOnceError && error.code === 'INVALID_OPTIONS') return;
    throw new Error(`${name} threw what is not documented`, { cause: error });
  }
}

/** The tables with their columns, and the record of a bystander, which no case may touch, as text. */
async function standing(sql: Sql, bystander: string): Promise<string> {
  const [row] = await sql<{ standing: string }[]>`
    select concat(
      (select string_agg(concat_ws('.', table_schema, table_name, column_name), ' ' order by 1)
        from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')),
      (select jsonb_agg(to_jsonb(r)) from handle_once.records r where r.scope = ${bystander})
    ) as standing`;
  return row?.standing ?? '';
}
