import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { flag, NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { type RecordView, toView } from './record.ts';
import { run } from './run.ts';
import type { ShowRecordOptions } from './show-record.ts';
import { recordFields, tablesFields, tablesOf } from './tables.ts';

/** Options of `findRecords`: those of `showRecord` without the scope. */
export type FindRecordsOptions = Omit<ShowRecordOptions, 'scope'>;

const findOptions = lazily(() =>
  z.strictObject(
    { ...tablesFields(), key: recordFields().key, result: z._default(flag(), false) },
    NOT_AN_OBJECT,
  ),
);

/**
 * The records of a key in all scopes, by scope. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * It goes from one scope to the next, with two look-ups by index for each: it takes time for many scopes, not for many
 * records.
 *
 * @example
 * ```ts
 * import { findRecords } from 'handle-once/operations';
 *
 * for (const { scope, phase } of await findRecords({ sql, key: 'order-7' })) console.log(scope, phase);
 * ```
 */
export async function findRecords(options: FindRecordsOptions): Promise<readonly RecordView[]> {
  const { key, result, ...rest } = parseOptions('findRecords', findOptions(), options);
  const { client, statements } = tablesOf(rest);
  const rows = await run(client, statements.find, [key, String(result)]);
  return rows.map(toView);
}
