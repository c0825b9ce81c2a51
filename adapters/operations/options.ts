import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { flag, wholeNumber } from '../../src/options/parse-options.ts';
import type { SqlClient } from '../../src/postgres/sql-client.ts';
import { tablesFields, type TablesOptions } from './tables.ts';

const DAY_MS = 86_400_000;
const MAX_MS = 3_650 * DAY_MS;

/** Options of `maintain` and `startMaintenance`. */
export interface MaintenanceOptions extends TablesOptions {
  /** As for `createHandleOnce`. Its role needs `delete` on `records`, and all rights on `maintenance` and `census`. */
  readonly sql: SqlClient;
  /**
   * Milliseconds after which a pending record is reported as abandoned if it is free to run and was not delivered
   * again. Default 14 days: as long as SQS keeps a message.
   */
  readonly abandonedAfterMs?: number | undefined;
  /**
   * Milliseconds after which such a record is deleted; a delivery that comes later runs. Default 30 days. Set it above
   * the longest time for which your broker keeps a message, dead letters included.
   */
  readonly purgeAbandonedAfterMs?: number | undefined;
  /**
   * Whether deleted records are copied to the table `archive`, partitioned by month. The role must then own that table
   * (see `grantsSql({ role, for: 'archive' })`), or its partitions must exist. A record whose key came again after it
   * had expired was overwritten, and is not archived. Default false.
   */
  readonly archive?: boolean | undefined;
}

export const maintenanceFields = lazily(() => ({
  ...tablesFields(),
  abandonedAfterMs: z._default(wholeNumber('milliseconds', 60_000, MAX_MS), 14 * DAY_MS),
  purgeAbandonedAfterMs: z._default(wholeNumber('milliseconds', 60_000, MAX_MS), 30 * DAY_MS),
  archive: z._default(flag(), false),
}));

export function isReportedFirst(options: {
  readonly abandonedAfterMs: number;
  readonly purgeAbandonedAfterMs: number;
}): boolean {
  return options.purgeAbandonedAfterMs >= options.abandonedAfterMs;
}

export const PURGED_UNREPORTED = {
  path: ['purgeAbandonedAfterMs'],
  error: 'must be at least abandonedAfterMs, or records are deleted that were never reported',
};

/** The options as they apply, defaults filled in. */
export type ResolvedMaintenance = z.output<z.ZodMiniObject<ReturnType<typeof maintenanceFields>>>;
