import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import type { RecordPhase } from './record.ts';
import { run } from './run.ts';
import { recordFields, type RecordOptions, tablesOf } from './tables.ts';

const forgetOptions = lazily(() => z.strictObject(recordFields(), NOT_AN_OBJECT));

/** What `forgetRecord` did, and what was on record. */
export type Forgotten =
  | {
      readonly state: 'forgotten';
      /** What it was until then. If it was `running`, its handler continues without a fence. */
      readonly was: RecordPhase;
    }
  /** There was no such record. */
  | { readonly state: 'absent' };

/**
 * Deletes a record in any state: the next delivery of its message runs, even if it had succeeded. The handler of a
 * running message loses its fence: a delivery that comes before it ends starts a second handler.
 *
 * Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { forgetRecord } from 'handle-once/operations';
 *
 * const forgotten = await forgetRecord({ sql, scope: 'billing', key: 'order-7' });
 * if (forgotten.state === 'forgotten') console.log(`it was ${forgotten.was}`);
 * ```
 */
export async function forgetRecord(options: RecordOptions): Promise<Forgotten> {
  const { key, scope, ...rest } = parseOptions('forgetRecord', forgetOptions(), options);
  const { client, statements } = tablesOf(rest);
  const [row] = await run(client, statements.forget, [scope, key]);
  return row === undefined ? { state: 'absent' } : { state: 'forgotten', was: row[0] as RecordPhase };
}
