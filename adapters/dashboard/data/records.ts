import type { DatabaseRow } from '../../../src/postgres/database-client.ts';
import { sqlState } from '../../../src/postgres/error-layers.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import { leavesStatement } from '../../../src/postgres/statements/leaves.ts';
import { listRecords } from '../../operations/list-records.ts';
import { given, type RecordPhase, type RecordView, toView } from '../../operations/record.ts';
import { run } from '../../operations/run.ts';
import { clientOf } from '../../operations/tables.ts';
import { readingClient } from '../bounded-client.ts';
import type { Context } from '../context.ts';
import { nameParameter, read } from './read.ts';
import { pageStatements } from '../statements/pages.ts';

/** Which records. */
export interface RecordChoice {
  readonly scope?: string | undefined;
  readonly phase?: RecordPhase | undefined;
  /** Default: the newest first. */
  readonly order?: 'oldest' | undefined;
  /** The name or the code of an error. */
  readonly error?: string | undefined;
  readonly sinceMs: number;
}

/** A part of the records that were asked for. */
export interface FoundRecords {
  readonly records: readonly RecordView[];
  /** Where the next part begins. Undefined: there are no more. */
  readonly next?: string;
  /** The time until which it looked back, where it did not come to the end of what was asked. */
  readonly lookedUntil?: Date;
  /** The pages of the table that it looked at, of how many. */
  readonly pages?: { readonly from: number; readonly to: number; readonly of: number };
}

const PER_PAGE = 50;
/** Follows every other character. */
const LAST = '\u{10ffff}';

/** Records whose key begins with a text, by scope and key. */
export async function recordsByKey(
  context: Context,
  scope: string | undefined,
  prefix: string,
  after: string | undefined,
): Promise<FoundRecords> {
  const [afterScope, afterKey] = pairIn(after) ?? [null, null];
  const range = [scope ?? null, prefix, `${prefix}${LAST}`, afterScope, afterKey];
  const rows = await read(context, 'byKey', [...range, String(PER_PAGE + 1)]);
  const records = rows.slice(0, PER_PAGE).map(toView);
  const last = rows.length > PER_PAGE ? records.at(-1) : undefined;
  return { records, ...given('next', last && JSON.stringify([last.scope, last.key])) };
}

function pairIn(after: string | undefined): [string, string] | undefined {
  try {
    const [scope, key] = JSON.parse(after ?? '') as unknown[];
    return typeof scope === 'string' && typeof key === 'string' ? [scope, key] : undefined;
  } catch {
    return undefined;
  }
}

/** Each look goes six times as far back. A table of ten records a second has fifty in the first. */
const FIRST_LOOK_MS = 10_000;
const LOOK_FACTOR = 6;
const LOOKS_MS = 4_000;

/**
 * The newest records, or the oldest. The index of times gives no order, so it looks back for a short time first, and
 * for a longer one until there are enough: in a large table it reads little more than what it shows. It ends after four
 * seconds with what it has.
 */
export async function recordsByTime(
  context: Context,
  choice: RecordChoice,
  after: string | undefined,
): Promise<FoundRecords> {
  if (choice.order === 'oldest')
    return await listRecords({ ...context.tables, ...choice, limit: PER_PAGE, after });
  const startedAt = performance.now();
  const fromMs = ageOfCursor(context, after);
  let found: FoundRecords = { records: [], lookedUntil: new Date(context.now.getTime() - fromMs) };
  for (let lookMs = FIRST_LOOK_MS; ; lookMs *= LOOK_FACTOR) {
    const sinceMs = Math.min(fromMs + lookMs, choice.sinceMs);
    const leftMs = Math.ceil(LOOKS_MS - (performance.now() - startedAt));
    if (leftMs <= 0) return found;
    try {
      const sql = readingClient(context.tables.sql, leftMs);
      const page = await listRecords({ ...context.tables, sql, ...choice, sinceMs, limit: PER_PAGE, after });
      if (page.next !== undefined || sinceMs === choice.sinceMs) return page;
      found = { ...page, lookedUntil: new Date(context.now.getTime() - sinceMs) };
    } catch (error) {
      if (!wasTooLong(error)) throw error;
      return found;
    }
  }
}

const CANCELLED = '57014';

function wasTooLong(error: unknown): boolean {
  return sqlState(error) === CANCELLED;
}

/** How long ago the record of a cursor was claimed first. 0 without one, which `listRecords` refuses. */
function ageOfCursor({ now }: Context, after: string | undefined): number {
  const [createdUs] = pairIn(after) ?? ['0'];
  return after === undefined ? 0 : Math.max(0, now.getTime() - Math.floor(Number(createdUs) / 1_000));
}

/** 16 MiB: read in a fraction of a second, also from a disk. */
const PAGES_PER_LOOK = 2_048;

/**
 * The records of a part of the table as they stand on disk, in no order: for a table whose old records are purged, in
 * which every time is everywhere.
 */
export async function recordsByPlace(
  { tables }: Context,
  { scope, phase, error }: Omit<RecordChoice, 'sinceMs'>,
  after: string | undefined,
): Promise<FoundRecords> {
  const client = clientOf(tables);
  const table = `${quoteIdentifier(tables.databaseSchema)}.records`;
  const leaves = await run(client, leavesStatement(), [table]);
  const of = leaves.reduce((sum, [, pages]) => sum + Number(pages), 0);
  const [from, item] = placeIn(after);
  const { leaf, first, pages } = leafAt(leaves, from);
  if (leaf === undefined) return { records: [], pages: { from: of, to: of, of } };
  const page = from - first;
  const beyond = Math.min(page + PAGES_PER_LOOK, pages);
  const chosen = [phase ?? null, nameParameter(error), scope ?? null, String(PER_PAGE)];
  const statement = pageStatements(tables.databaseSchema).byPlace(leaf);
  const rows = await run(client, statement, [`(${page},${item})`, `(${beyond},0)`, ...chosen]);
  // A full answer may have left some out: the next part begins behind its last row.
  const [lastPage, lastItem] = rows.length === PER_PAGE ? placeIn(rows.at(-1)?.at(-1)) : [beyond, 0];
  const to = first + lastPage;
  return {
    records: rows.map(toView),
    pages: { from, to, of },
    ...given('next', to < of ? `(${to},${lastItem})` : undefined),
  };
}

function placeIn(text: string | null | undefined): [page: number, item: number] {
  const [, page = 0, item = 0] = /^\((\d{1,15}),(\d{1,5})\)$/.exec(text ?? '') ?? [];
  return [Number(page), Number(item)];
}

/** The partition that has a page, counted through all of them, and its first page. */
function leafAt(leaves: readonly DatabaseRow[], page: number) {
  let first = 0;
  for (const [leaf, count] of leaves) {
    const pages = Number(count);
    if (page < first + pages) return { leaf: leaf ?? '', first, pages };
    first += pages;
  }
  return { leaf: undefined, first, pages: 0 };
}

/** The scopes of all records, at most 1,000. */
export async function scopesOn(context: Context): Promise<readonly string[]> {
  const rows = await read(context, 'scopes', []);
  return rows.map(([scope]) => scope ?? '');
}
