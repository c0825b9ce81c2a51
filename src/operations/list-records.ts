import * as z from 'zod';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../options/parse-options.ts';
import { type RecordView, toView } from './record.ts';
import { run } from './run.ts';
import { scopeField, tablesFields, tablesOf, type TablesOptions } from './tables.ts';

/** Options of `listRecords`. */
export interface ListRecordsOptions extends TablesOptions {
  /** Default: all scopes. */
  readonly scope?: string | undefined;
  /** Default: all states. */
  readonly state?: RecordView['state'] | undefined;
  /** Milliseconds since their first claim. Default 24 hours. */
  readonly sinceMs?: number | undefined;
  /** The most that are listed, the newest first, 1 to 10,000. Default 100. */
  readonly limit?: number | undefined;
}

const DAY_MS = 86_400_000;
const STATES = ['pending', 'succeeded', 'failed'] as const;

const listOptions = z.strictObject(
  {
    ...tablesFields,
    scope: scopeField.optional(),
    state: z.enum(STATES, { error: "must be 'pending', 'succeeded' or 'failed'" }).optional(),
    sinceMs: wholeNumber('milliseconds', 1, 3_650 * DAY_MS).default(DAY_MS),
    limit: wholeNumber('records', 1, 10_000).default(100),
  },
  NOT_AN_OBJECT,
);

/**
 * The newest records, by their first claim. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * It reads the part of the table that was written in that time, found by a small index of times; a table whose old
 * records are purged mixes old and new, and more of it is read.
 *
 * @example
 * ```ts
 * import { listRecords } from 'handle-once/operations';
 *
 * const failed = await listRecords({ sql, state: 'failed', sinceMs: 3_600_000 });
 * ```
 */
export async function listRecords(options: ListRecordsOptions): Promise<readonly RecordView[]> {
  const {
    scope = null,
    state = null,
    sinceMs,
    limit,
    ...rest
  } = parseOptions('listRecords', listOptions, options);
  const { client, statements } = tablesOf(rest);
  const rows = await run(client, statements.list, [scope, state, String(sinceMs), String(limit)]);
  return rows.map(toView);
}
