import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { type RecordPhase, toView } from './record.ts';
import { run } from './run.ts';
import { recordFields, type RecordOptions, tablesOf } from './tables.ts';

const retryOptions = lazily(() => z.strictObject(recordFields(), NOT_AN_OBJECT));

/** What `retryRecord` did. `found` is the state on record, or that there is no record. */
export type RecordRetry =
  /** Its next delivery runs. */
  | { readonly state: 'retried' }
  | {
      readonly state: 'unchanged';
      /** What is on record: only a `failed` one can be retried. */
      readonly found: RecordPhase | 'absent';
    };

/**
 * Makes a failed record runnable again, and changes nothing else: a compare-and-set. Its failures and deaths count from
 * zero again.
 *
 * Nothing runs until the broker delivers the message again: a message in a dead-letter queue must be sent back. Throws
 * `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { retryRecord } from 'handle-once/operations';
 *
 * const { state } = await retryRecord({ sql, scope: 'billing', key: 'order-7' });
 * ```
 */
export async function retryRecord(options: RecordOptions): Promise<RecordRetry> {
  const { key, scope, ...rest } = parseOptions('retryRecord', retryOptions(), options);
  const { client, statements } = tablesOf(rest);
  const rows = await run(client, statements.retry, [scope, key]);
  if (rows.length > 0) return { state: 'retried' };
  const [row] = await run(client, statements.show, [scope, key, 'false']);
  return { state: 'unchanged', found: row === undefined ? 'absent' : toView(row).phase };
}
