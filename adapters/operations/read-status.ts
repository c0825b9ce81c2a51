import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { maintenanceStatements } from './statements/maintenance.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { run } from './run.ts';
import { clientOf, tablesFields, type TablesOptions } from './tables.ts';

/** Records of one scope in one state, as the last walk counted them. */
export interface StatusRow {
  /** Of the records. */
  readonly scope: string;
  /** Of the records. */
  readonly state: 'pending' | 'succeeded' | 'failed';
  /** How many there were. */
  readonly records: number;
  /** How many of those had been free to run for a long time without a delivery. */
  readonly abandoned: number;
  /** When the oldest of them was claimed first. */
  readonly oldestAt: Date;
  /** When the walk ended: how old these figures are. */
  readonly takenAt: Date;
}

const readOptions = lazily(() => z.strictObject(tablesFields(), NOT_AN_OBJECT));

/**
 * What the last walk of maintenance counted, by scope and state. Empty before the first.
 *
 * One read of a small table, however many records there are. Throws `InvalidOptionsError`, `StoreError` and
 * `SchemaError`.
 *
 * @example
 * ```ts
 * import { readStatus } from 'handle-once/operations';
 *
 * console.table(await readStatus({ sql }));
 * ```
 */
export async function readStatus(options: TablesOptions): Promise<readonly StatusRow[]> {
  const { databaseSchema, ...rest } = parseOptions('readStatus', readOptions(), options);
  const rows = await run(clientOf(rest), maintenanceStatements(databaseSchema).read, []);
  return rows.map(([scope, state, records, abandoned, oldestMs, takenMs]) => ({
    scope: scope ?? '',
    state: state as StatusRow['state'],
    records: Number(records),
    abandoned: Number(abandoned),
    oldestAt: new Date(Number(oldestMs)),
    takenAt: new Date(Number(takenMs)),
  }));
}
