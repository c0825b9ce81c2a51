import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions, satisfying, wholeNumber } from '../../src/options/parse-options.ts';
import type { DatabaseRow } from '../../src/postgres/database-client.ts';
import { filterChecks, filterFields, filterParameters, type RecordFilter } from './filter.ts';
import { given, type RecordView, toView } from './record.ts';
import { run } from './run.ts';
import { tablesOf } from './tables.ts';

/** Options of `listRecords`. */
export interface ListRecordsOptions extends RecordFilter {
  /** Which come first, and are listed where there are more than `limit`. Default `'newest'`. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** The most that are listed, 1 to 10,000. Default 100. */
  readonly limit?: number | undefined;
  /** The `next` of the page before, in the same order. Default: the first page. */
  readonly after?: string | undefined;
}

/** Records, and whether there are more. */
export interface RecordPage {
  /** In the requested order. */
  readonly records: readonly RecordView[];
  /** Set if there are more records: pass it as `after`, with the other options unchanged. */
  readonly next?: string;
}

const listOptions = lazily(() =>
  z
    .strictObject(
      {
        ...filterFields(),
        order: z._default(z.enum(['newest', 'oldest'], { error: "must be 'newest' or 'oldest'" }), 'newest'),
        limit: z._default(wholeNumber('records', 1, 10_000), 100),
        after: z.optional(satisfying<string>((value) => cursorIn(value) !== undefined, 'the next of a page')),
      },
      NOT_AN_OBJECT,
    )
    .check(...filterChecks()),
);

/**
 * The newest or the oldest records, by their first claim; page by page where there are more than `limit`. Throws
 * `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * Each page reads the part of the table that was written in that time, found by a small index of times. In a table
 * whose old records are purged, old and new share pages, and most of it is read.
 *
 * @example
 * ```ts
 * import { listRecords } from 'handle-once/operations';
 *
 * const since = new Date('2026-11-25T14:00:00Z');
 * let after: string | undefined;
 * do {
 *   const { records, next } = await listRecords({ sql, state: 'failed', since, after });
 *   for (const { key, error } of records) console.log(key, error?.message);
 *   after = next;
 * } while (after !== undefined);
 * ```
 */
export async function listRecords(options: ListRecordsOptions): Promise<RecordPage> {
  const { order, limit, after, ...filter } = parseOptions('listRecords', listOptions(), options);
  const { client, statements } = tablesOf(filter);
  const cursor = cursorIn(after) ?? [null, null, null];
  // One more than is listed says whether there are more, and costs no second read.
  const rows = await run(client, statements[order], [
    ...filterParameters(filter),
    String(limit + 1),
    ...cursor,
  ]);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { records: rows.slice(0, limit).map(toView), ...given('next', last && cursorOf(last)) };
}

/** Microseconds of its first claim, its scope and its key. */
type Cursor = readonly [createdUs: string, scope: string, key: string];

function cursorOf(row: DatabaseRow): string {
  const [scope, key] = row;
  return JSON.stringify([row.at(-1), scope, key]);
}

function cursorIn(text: unknown): Cursor | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const [createdUs, ...rest] = JSON.parse(text) as string[];
    const [scope, key] = rest;
    const isCursor =
      /^-?\d{1,18}$/.test(createdUs ?? '') && typeof scope === 'string' && typeof key === 'string';
    return isCursor ? [createdUs ?? '', scope, key] : undefined;
  } catch {
    return undefined;
  }
}
