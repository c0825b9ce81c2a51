import type { DatabaseRow } from '../../../src/postgres/database-client.ts';
import { sqlState } from '../../../src/postgres/error-layers.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import { leavesStatement } from '../../../src/postgres/statements/leaves.ts';
import type { RecordFilter } from '../../operations/filter.ts';
import { listRecords, type RecordPage } from '../../operations/list-records.ts';
import { fromColumn, given, toView } from '../../operations/record.ts';
import { run } from '../../operations/run.ts';
import { clientOf } from '../../operations/tables.ts';
import { readingClient } from '../bounded-client.ts';
import { ago, type Context } from '../page.ts';
import { errorParameter, PER_PAGE, pageOf, read } from './read.ts';
import { pageStatements } from '../statements/pages.ts';

/** Which records. */
export interface RecordChoice extends Pick<RecordFilter, 'scope' | 'phase' | 'error'> {
  /** How their key begins. */
  readonly key?: string | undefined;
  /** Default: the newest first. */
  readonly order?: 'oldest' | undefined;
  readonly sinceMs: number;
}

/** A part of the records that were asked for. */
export interface FoundRecords extends RecordPage {
  /** The time until which it looked back, where it did not come to the end of what was asked. */
  readonly lookedUntil?: Date;
  /** The pages of the table that it looked at, of how many. */
  readonly pages?: { readonly from: number; readonly to: number; readonly of: number };
}

/** Follows every other character. */
const LAST = '\u{10ffff}';

/** Records whose key begins with a text, by scope and key. */
export async function recordsByKey(context: Context, { scope, key = '' }: RecordChoice, after?: string) {
  const [afterScope, afterKey] = pairIn(after);
  const parameters = [scope, key, `${key}${LAST}`, afterScope, afterKey, PER_PAGE + 1];
  const { shown, last } = pageOf(await read(context, 'byKey', parameters));
  return { records: shown.map(toView), ...given('next', last && JSON.stringify(last.slice(0, 2))) };
}

/** The first two texts of a cursor. */
function pairIn(after: string | undefined): [string, string] | [] {
  const cursor = fromColumn(after);
  const [first, second] = (Array.isArray(cursor) ? cursor : []) as unknown[];
  return typeof first === 'string' && typeof second === 'string' ? [first, second] : [];
}

/** Each look goes six times as far back. A table of ten records a second has fifty in the first. */
const FIRST_LOOK_MS = 10_000;
const LOOK_FACTOR = 6;
const LOOKS_MS = 4_000;
const CANCELLED = '57014';

/**
 * The newest records, or the oldest. The index of times gives no order, so it looks back for a short time first, and
 * for a longer one until there are enough: in a large table it reads little more than what it shows. It ends after four
 * seconds with what it has.
 */
export async function recordsByTime(context: Context, choice: RecordChoice, after?: string) {
  const { scope, phase, error, order, sinceMs: farthestMs } = choice;
  const asked = { ...context.tables, scope, phase, error, limit: PER_PAGE, after };
  if (order === 'oldest') return await listRecords({ ...asked, order, since: ago(context, farthestMs) });
  const startedAt = performance.now();
  const fromMs = ageOfCursor(context, after);
  let found: FoundRecords = { records: [], lookedUntil: ago(context, fromMs) };
  for (let lookMs = FIRST_LOOK_MS; ; lookMs *= LOOK_FACTOR) {
    const sinceMs = Math.min(fromMs + lookMs, farthestMs);
    const since = ago(context, sinceMs);
    const leftMs = Math.ceil(LOOKS_MS - (performance.now() - startedAt));
    if (leftMs <= 0) return found;
    try {
      const page = await listRecords({ ...asked, sql: readingClient(asked.sql, leftMs), since });
      if (page.next !== undefined || sinceMs === farthestMs) return page;
      found = { ...page, lookedUntil: since };
    } catch (thrown) {
      if (sqlState(thrown) !== CANCELLED) throw thrown;
      return found;
    }
  }
}

/** How long ago the record of a cursor was claimed first. 0 without one, which `listRecords` refuses. */
function ageOfCursor({ now }: Context, after: string | undefined): number {
  const [createdUs = '0'] = pairIn(after);
  return after === undefined ? 0 : Math.max(0, now.getTime() - Math.floor(Number(createdUs) / 1_000));
}

/** 16 MiB: read in a fraction of a second, also from a disk. */
const PAGES_PER_LOOK = 2_048;

/**
 * The records of a part of the table as they stand on disk, in no order: for a table whose old records are purged, in
 * which every time is everywhere.
 */
export async function recordsByPlace({ tables }: Context, choice: RecordChoice, after?: string) {
  const client = clientOf(tables);
  const leaves = await run(client, leavesStatement(), [`${quoteIdentifier(tables.databaseSchema)}.records`]);
  const of = leaves.reduce((sum, [, pages]) => sum + Number(pages), 0);
  const [from, item] = placeIn(after);
  const { leaf, first, pages } = leafAt(leaves, from);
  if (leaf === undefined) return { records: [], pages: { from: of, to: of, of } };
  const page = from - first;
  const beyond = Math.min(page + PAGES_PER_LOOK, pages);
  const chosen = [choice.phase ?? null, errorParameter(choice.error), choice.scope ?? null, String(PER_PAGE)];
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
  const rows = await read(context, 'scopes');
  return rows.map(([scope]) => scope ?? '');
}
