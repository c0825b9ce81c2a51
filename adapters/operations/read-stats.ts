import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import type { HandleOnceEventType } from '../../src/reporting/events.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../src/options/parse-options.ts';
import { historyStatements } from './statements/history.ts';
import { run } from './run.ts';
import { clientOf, scopeField, tablesFields, type TablesOptions } from './tables.ts';

/** Options of `readStats`. */
export interface ReadStatsOptions extends TablesOptions {
  /** Default: all scopes. */
  readonly scope?: string | undefined;
  /** Milliseconds until now. Default one hour. */
  readonly sinceMs?: number | undefined;
}

/** How often an event happened in one scope and minute, in all processes with the option `stats`. */
export interface StatsRow {
  /** The whole scope, with what adapters add. */
  readonly scope: string;
  /** Its beginning. A process writes what it counted since its last write. */
  readonly minute: Date;
  /** Its type. */
  readonly event: HandleOnceEventType;
  /** In all processes. */
  readonly count: number;
}

const HOUR_MS = 3_600_000;

const statsOptions = lazily(() =>
  z.strictObject(
    {
      ...tablesFields(),
      scope: z.optional(scopeField()),
      sinceMs: z._default(wholeNumber('milliseconds', 1, 87_600 * HOUR_MS), HOUR_MS),
    },
    NOT_AN_OBJECT,
  ),
);

/**
 * How often each event happened, by the minute: the source of rates and charts. Counts are kept as long as maintenance
 * keeps abandoned records. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { readStats } from 'handle-once/operations';
 *
 * console.table(await readStats({ sql, scope: 'billing' }));
 * ```
 */
export async function readStats(options: ReadStatsOptions): Promise<readonly StatsRow[]> {
  const {
    databaseSchema,
    scope = null,
    sinceMs,
    ...rest
  } = parseOptions('readStats', statsOptions(), options);
  const { readStats: statement } = historyStatements(databaseSchema);
  const rows = await run(clientOf(rest), statement, [scope, String(sinceMs)]);
  return rows.map(([of, minuteMs, event, count]) => ({
    scope: of ?? '',
    minute: new Date(Number(minuteMs)),
    event: event as HandleOnceEventType,
    count: Number(count),
  }));
}
