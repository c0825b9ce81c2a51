import { once } from 'node:events';
import {
  listRecords,
  type ListRecordsOptions,
  type RecordPage,
  type RecordView,
} from '../operations/index.ts';
import type { Answer } from './command.ts';
import { ago } from './duration.ts';
import { printable } from './printable.ts';
import { tableOf } from './table.ts';

export const NO_RECORDS = 'no records';

/** Each page reads the time span again, so a page is as large as it may be. */
const LARGEST_PAGE = 10_000;

/** One page, and that there are more. How many more takes a second read of the table: `--count-by` does that. */
export function answerOfPage({ records, next }: RecordPage, order: 'newest' | 'oldest'): Answer {
  const more = next !== undefined;
  const note = more
    ? `\n\nthe ${order} ${records.length}; there are more: --all prints them, --count-by error counts them`
    : '';
  return { json: { records, more }, text: records.length === 0 ? NO_RECORDS : `${linesOf(records)}${note}` };
}

/**
 * Every page as it comes: no more than one is kept in memory. Where an error ends it half way, the JSON is whole all
 * the same, and says that there are more.
 */
export async function printAll(filter: ListRecordsOptions, asJson: boolean): Promise<void> {
  let after: string | undefined;
  let printed = 0;
  let more = true;
  try {
    while (more) {
      const page = await listRecords({ ...filter, limit: LARGEST_PAGE, after });
      const isFirst = printed === 0;
      if (page.records.length > 0)
        await write(asJson ? jsonOf(page.records, isFirst) : rowsOf(page.records, isFirst));
      printed += page.records.length;
      after = page.next;
      more = after !== undefined;
    }
    if (printed === 0) await write(asJson ? '{"records":[' : `${NO_RECORDS}\n`);
  } finally {
    if (asJson && (printed > 0 || !more)) await write(`\n],"more":${more}}\n`);
  }
}

function jsonOf(records: readonly RecordView[], isFirst: boolean): string {
  return `${isFirst ? '{"records":[' : ','}\n${records.map((record) => printable(JSON.stringify(record))).join(',\n')}`;
}

function rowsOf(records: readonly RecordView[], isFirst: boolean): string {
  const lines = linesOf(records);
  return `${isFirst ? lines : lines.slice(lines.indexOf('\n') + 1)}\n`;
}

/** Waits for a reader that is slower than the database. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function linesOf(records: readonly RecordView[]): string {
  const now = new Date();
  return tableOf(
    records.map(({ scope, key, phase, attempts, createdAt, beganAt, error }) => ({
      scope,
      key,
      phase,
      attempts: String(attempts),
      age: ago(createdAt, now),
      began: ago(beganAt, now),
      error:
        error === undefined ? '' : `${error.name}: ${error.message}`.slice(0, 80).replaceAll(/\s+/g, ' '),
    })),
  );
}
