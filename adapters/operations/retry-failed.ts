import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import {
  abortSignal,
  callback,
  NOT_AN_OBJECT,
  parseOptions,
  wholeNumber,
} from '../../src/options/parse-options.ts';
import { countRecords, type RecordCount } from './count-records.ts';
import { errorFields, filterChecks, type RecordFilter } from './filter.ts';
import { listRecords } from './list-records.ts';
import type { RecordView } from './record.ts';
import { retryRecord } from './retry-record.ts';

/** Options of `retryFailed`. */
export interface RetryFailedOptions extends Omit<RecordFilter, 'state' | 'phase'> {
  /**
   * How many failed records the caller expects to match, 1 to 1,000,000,000. If another number matches, nothing is
   * retried. Default: they are only counted.
   */
  readonly confirm?: number | undefined;
  /** Ends the work after the current record. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each record once it is retried, and awaited. What it throws ends the work. */
  readonly onRetried?: ((record: RecordView) => unknown) | undefined;
}

/** What `retryFailed` did. */
export type RetryReport =
  /** `confirm` was not given, or is another number: nothing was changed. */
  | {
      readonly state: 'unconfirmed';
      /** How many failed records match. */
      readonly matching: number;
      /** The same by scope and error. */
      readonly counts: readonly RecordCount[];
    }
  /** `stopped`: by `signal`. */
  | {
      readonly state: 'finished' | 'stopped';
      /** How many failed records matched at the start. */
      readonly matching: number;
      /** How many of them will run with their next delivery. */
      readonly retried: number;
    };

/** Each page reads the time span again, so a page is as large as it may be. */
const PAGE = 10_000;

const retryOptions = lazily(() =>
  z
    .strictObject(
      {
        ...errorFields(),
        confirm: z.optional(wholeNumber('records', 1, 1_000_000_000)),
        signal: z.optional(abortSignal()),
        onRetried: z.optional(callback<(record: RecordView) => unknown>('a function of one record')),
      },
      NOT_AN_OBJECT,
    )
    .check(...filterChecks()),
);

/**
 * Makes failed records runnable again, each by a separate compare-and-set, as `retryRecord` does. Without `confirm` it
 * only counts them; with `confirm` it never retries more than that. Nothing runs until the message is delivered again.
 *
 * You can stop it at any point: a retried record is no longer failed, so the next call counts and retries the others.
 * It reads as much of the table as `listRecords`, once to count, and once for each 10,000 records. Throws
 * `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { retryFailed } from 'handle-once/operations';
 *
 * const failed = { sql, scope: 'billing', error: 'ECONNREFUSED', since: new Date('2026-11-25T14:00:00Z') };
 * const { matching } = await retryFailed(failed);
 * if (matching > 0) console.log(await retryFailed({ ...failed, confirm: matching }));
 * ```
 */
export async function retryFailed(options: RetryFailedOptions): Promise<RetryReport> {
  const { confirm, signal, onRetried, ...filter } = parseOptions('retryFailed', retryOptions(), options);
  const failed = { ...filter, state: 'failed', phase: 'failed' } as const;
  const counts = await countRecords(failed);
  const matching = counts.reduce((sum, { records }) => sum + records, 0);
  if (confirm !== matching) return { state: 'unconfirmed', matching, counts };
  let seen = 0;
  let retried = 0;
  for await (const record of inOrder({ ...failed, until: filter.until ?? endOf(counts) })) {
    if (signal?.aborted === true) return { state: 'stopped', matching, retried };
    // Others have failed since they were counted.
    if (seen === matching) break;
    seen += 1;
    const { sql, databaseSchema, replyTimeoutMs } = filter;
    const { scope, key } = record;
    const { state } = await retryRecord({ sql, databaseSchema, replyTimeoutMs, scope, key });
    if (state === 'unchanged') continue;
    retried += 1;
    await onRetried?.(record);
  }
  return { state: 'finished', matching, retried };
}

/** Just after the newest that was counted: what is first claimed later was not confirmed. */
export function endOf(counts: readonly RecordCount[]): Date {
  return new Date(Math.max(...counts.map(({ newestAt }) => newestAt.getTime())) + 1);
}

/** Always onward by the first claim: what fails again during the walk does not come again. */
async function* inOrder(filter: RecordFilter): AsyncGenerator<RecordView> {
  let after: string | undefined;
  do {
    const page = await listRecords({ ...filter, order: 'oldest', limit: PAGE, after });
    yield* page.records;
    after = page.next;
  } while (after !== undefined);
}
