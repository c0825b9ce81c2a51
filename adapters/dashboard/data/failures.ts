import type { BadEnding } from '../../../src/history/line.ts';
import { countRecords, type RecordCount } from '../../operations/count-records.ts';
import type { RecordFilter } from '../../operations/filter.ts';
import { fromColumn, given, type RecordPhase, storedError } from '../../operations/record.ts';
import { readingClient } from '../bounded-client.ts';
import type { Context } from '../page.ts';
import { dateIn, errorParameter, PER_PAGE, pageOf, read } from './read.ts';

/** Which lines of the table `failures`; by their phase where the record is that now. */
export interface LineFilter extends Pick<RecordFilter, 'scope' | 'error' | 'phase'> {
  readonly sinceMs: number;
  readonly ending?: BadEnding | undefined;
}

const MOST_GROUPS = 100;

function parametersOf({ sinceMs, scope, ending, error }: LineFilter) {
  return [sinceMs, scope, ending, errorParameter(error)];
}

/** Attempts that ended alike, the most frequent first. Lines are best effort: there may have been more. */
export async function failureGroups(context: Context, filter: LineFilter) {
  const rows = await read(context, 'groups', [...parametersOf(filter), MOST_GROUPS]);
  return rows.map(([scope, ending, name, code, lines, failedNow, firstMs, lastMs, key, error]) => ({
    scope: scope ?? '',
    ending: ending as BadEnding,
    ...given('error', fromColumn(name) as RecordCount['error']),
    ...given('code', fromColumn(code) as RecordCount['code']),
    atLeast: Number(lines),
    failedNow: Number(failedNow),
    firstAt: new Date(Number(firstMs)),
    lastAt: new Date(Number(lastMs)),
    example: { key: key ?? '', ...given('error', storedError(error)) },
  }));
}

/** Attempts that ended badly, the newest first, and what is on record of each message now. */
export async function failureLines(context: Context, filter: LineFilter, after: string | undefined) {
  const [, endedUs, id] = /^(\d{1,18})-(\d{1,18})$/.exec(after ?? '') ?? [];
  const parameters = [...parametersOf(filter), filter.phase, PER_PAGE + 1, endedUs, id];
  const { shown, last } = pageOf(await read(context, 'lines', parameters));
  return {
    lines: shown.map(([scope, key, ending, attempt, endedMs, error, phase]) => ({
      ...{ scope: scope ?? '', key: key ?? '', ending: ending as BadEnding, attempt: Number(attempt) },
      endedAt: new Date(Number(endedMs)),
      ...given('error', storedError(error)),
      now: phase as RecordPhase | 'gone',
    })),
    ...given('next', last?.slice(-2).join('-')),
  };
}

export type Group = Awaited<ReturnType<typeof failureGroups>>[number];
export type LinePage = Awaited<ReturnType<typeof failureLines>>;

/** How many messages failed permanently, how many of them are failed now, and when the oldest of those was claimed. */
export async function permanentFailures(context: Context, filter: LineFilter) {
  const parameters = parametersOf({ ...filter, ending: 'failed' });
  const [[messages, failedNow, createdMs] = []] = await read(context, 'failed', parameters);
  return { failed: { atLeast: Number(messages), failedNow: Number(failedNow) }, oldestAt: dateIn(createdMs) };
}

/** It may read most of a large table. */
const COUNT_MS = 30_000;

/** All records that are failed now, also those without a line, by their error. */
export function countFailed(
  { tables }: Context,
  { scope, error, since, until }: Pick<RecordFilter, 'scope' | 'error' | 'since' | 'until'>,
) {
  const chosen = { scope, error, since, until, state: 'failed', phase: 'failed' } as const;
  const sql = readingClient(tables.sql, COUNT_MS);
  return countRecords({ ...tables, sql, replyTimeoutMs: 2 * COUNT_MS, ...chosen });
}
