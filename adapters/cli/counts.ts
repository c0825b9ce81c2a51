import type { RecordCount } from '../operations/index.ts';
import { ago } from './duration.ts';
import { tableOf } from './table.ts';

/** How many records there are of each error, as a table. */
export function tableOfCounts(counts: readonly RecordCount[], now: Date): string {
  return tableOf(
    counts.map(({ scope, error, code, records, oldestAt, newestAt }) => ({
      records: records.toLocaleString('en-US'),
      error: error ?? '',
      code: code === undefined ? '' : String(code),
      scope,
      oldest: ago(oldestAt, now),
      newest: ago(newestAt, now),
    })),
  );
}
