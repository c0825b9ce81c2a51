import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../options/parse-options.ts';
import { type RecordPhase, type RecordView, toView } from './record.ts';
import { run } from './run.ts';
import { scopeField, tablesFields, tablesOf, type TablesOptions } from './tables.ts';

/** Options of `listRecords`. */
export interface ListRecordsOptions extends TablesOptions {
  /** Default: all scopes. */
  readonly scope?: string | undefined;
  /** Default: all states. */
  readonly state?: RecordView['state'] | undefined;
  /** What a delivery that came now would find. Default: all phases. */
  readonly phase?: RecordPhase | undefined;
  /** Milliseconds since their first claim. Default 24 hours. */
  readonly sinceMs?: number | undefined;
  /** Which come first, and are listed where there are more than `limit`. Default `'newest'`. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** The most that are listed, 1 to 10,000. Default 100. */
  readonly limit?: number | undefined;
}

const DAY_MS = 86_400_000;
const STATES = ['pending', 'succeeded', 'failed'] as const;
const PHASES = ['running', 'lapsed', 'backing-off', 'waiting', 'succeeded', 'failed', 'expired'] as const;

const listOptions = lazily(() =>
  z.strictObject(
    {
      ...tablesFields(),
      scope: z.optional(scopeField()),
      state: z.optional(z.enum(STATES, { error: "must be 'pending', 'succeeded' or 'failed'" })),
      phase: z.optional(z.enum(PHASES, { error: `must be one of '${PHASES.join("', '")}'` })),
      order: z._default(z.enum(['newest', 'oldest'], { error: "must be 'newest' or 'oldest'" }), 'newest'),
      sinceMs: z._default(wholeNumber('milliseconds', 1, 3_650 * DAY_MS), DAY_MS),
      limit: z._default(wholeNumber('records', 1, 10_000), 100),
    },
    NOT_AN_OBJECT,
  ),
);

/**
 * The newest or the oldest records, by their first claim. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * It reads the part of the table that was written in that time, found by a small index of times. In a table whose old
 * records are purged, old and new share pages, and most of it is read.
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
    phase = null,
    order,
    sinceMs,
    limit,
    ...rest
  } = parseOptions('listRecords', listOptions(), options);
  const { client, statements } = tablesOf(rest);
  const rows = await run(client, statements[order], [scope, state, phase, String(sinceMs), String(limit)]);
  return rows.map(toView);
}
