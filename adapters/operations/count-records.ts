import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { filterChecks, filterFields, filterParameters, type RecordFilter } from './filter.ts';
import { fromColumn, given } from './record.ts';
import { run } from './run.ts';
import { tablesOf } from './tables.ts';

/** Records of one scope with one error. */
export interface RecordCount {
  /** Of the records. */
  readonly scope: string;
  /** The name of their error. Undefined if they have none, or have succeeded since. */
  readonly error?: string;
  /** The code of their error. */
  readonly code?: string | number;
  /** How many there are. */
  readonly records: number;
  /** When the oldest of them was claimed first. */
  readonly oldestAt: Date;
  /** When the newest of them was claimed first. */
  readonly newestAt: Date;
}

const countOptions = lazily(() => z.strictObject(filterFields(), NOT_AN_OBJECT).check(...filterChecks()));

/**
 * How many records there are, by the error that they have: the most frequent first. Throws `InvalidOptionsError`,
 * `StoreError` and `SchemaError`.
 *
 * It reads as much of the table as a page of `listRecords`.
 *
 * @example
 * ```ts
 * import { countRecords } from 'handle-once/operations';
 *
 * console.table(await countRecords({ sql, state: 'failed' }));
 * ```
 */
export async function countRecords(options: RecordFilter): Promise<readonly RecordCount[]> {
  const filter = parseOptions('countRecords', countOptions(), options);
  const { client, statements } = tablesOf(filter);
  const rows = await run(client, statements.count, filterParameters(filter));
  return rows.map(([scope, error, code, records, oldestMs, newestMs]) => ({
    scope: scope ?? '',
    ...given('error', fromColumn(error) as RecordCount['error']),
    ...given('code', fromColumn(code) as RecordCount['code']),
    records: Number(records),
    oldestAt: new Date(Number(oldestMs)),
    newestAt: new Date(Number(newestMs)),
  }));
}
