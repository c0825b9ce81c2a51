import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { flag, NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { type RecordView, toView } from './record.ts';
import { run } from './run.ts';
import { recordFields, type RecordOptions, tablesOf } from './tables.ts';

/** Options of `showRecord`. */
export interface ShowRecordOptions extends RecordOptions {
  /** Whether the result is shown too. Default false: a result can hold data that only the application should read. */
  readonly result?: boolean | undefined;
}

const showOptions = lazily(() =>
  z.strictObject({ ...recordFields(), result: z._default(flag(), false) }, NOT_AN_OBJECT),
);

/**
 * One record, or undefined. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { showRecord } from 'handle-once/operations';
 *
 * console.log(await showRecord({ sql, scope: 'billing', key: 'order-7' }));
 * ```
 */
export async function showRecord(options: ShowRecordOptions): Promise<RecordView | undefined> {
  const { key, scope, result, ...rest } = parseOptions('showRecord', showOptions(), options);
  const { client, statements } = tablesOf(rest);
  const [row] = await run(client, statements.show, [scope, key, String(result)]);
  return row === undefined ? undefined : toView(row);
}
