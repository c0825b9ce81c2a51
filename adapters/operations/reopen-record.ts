import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { type RecordPhase, toView } from './record.ts';
import { run } from './run.ts';
import { recordFields, type RecordOptions, tablesOf } from './tables.ts';

const reopenOptions = lazily(() => z.strictObject(recordFields(), NOT_AN_OBJECT));

/** What `reopenRecord` did. `found` is what is on record, or that nothing is. */
export type Reopened =
  /** Its next delivery runs. */
  | { readonly state: 'reopened' }
  | {
      readonly state: 'unchanged';
      /** What is on record: only a `failed` one can be reopened. */
      readonly found: RecordPhase | 'absent';
    };

/**
 * Makes a failed record runnable again, and touches nothing else: a compare-and-set. Its failures and deaths count from
 * zero again.
 *
 * Nothing runs until the broker delivers the message again: one in a dead-letter queue has to be sent back. Throws
 * `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { reopenRecord } from 'handle-once/operations';
 *
 * const { state } = await reopenRecord({ sql, scope: 'billing', key: 'order-7' });
 * ```
 */
export async function reopenRecord(options: RecordOptions): Promise<Reopened> {
  const { key, scope, ...rest } = parseOptions('reopenRecord', reopenOptions(), options);
  const { client, statements } = tablesOf(rest);
  const rows = await run(client, statements.reopen, [scope, key]);
  if (rows.length > 0) return { state: 'reopened' };
  const [row] = await run(client, statements.show, [scope, key, 'false']);
  return { state: 'unchanged', found: row === undefined ? 'absent' : toView(row).phase };
}
