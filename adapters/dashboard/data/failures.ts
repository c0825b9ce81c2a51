import { fromColumn, given, type RecordPhase, storedError } from '../../operations/record.ts';
import type { BadEnding } from '../../../src/history/line.ts';

import type { Context } from '../context.ts';
import { dateIn, nameIn, nameParameter, read } from './read.ts';

/** Which lines of the table `failures`. */
export interface LineFilter {
  readonly sinceMs: number;
  readonly scope?: string | undefined;
  readonly ending?: string | undefined;
  /** The name or the code of an error. */
  readonly error?: string | undefined;
  /** What the record is now. Default: whatever it is, and also where it is gone. */
  readonly phase?: RecordPhase | undefined;
}

const MOST_GROUPS = 100;
const LINES_PER_PAGE = 50;

function parametersOf({ sinceMs, scope, ending, error }: LineFilter): (string | null)[] {
  return [String(sinceMs), scope ?? null, ending ?? null, nameParameter(error)];
}

/** Attempts that ended alike, the most frequent first. Lines are best effort: there may have been more. */
export async function failureGroups(context: Context, filter: LineFilter) {
  const rows = await read(context, 'groups', [...parametersOf(filter), String(MOST_GROUPS)]);
  return rows.map(([scope, ending, name, code, lines, failedNow, firstMs, lastMs, key, error]) => ({
    scope: scope ?? '',
    ending: ending as BadEnding,
    ...given('error', nameIn(name)),
    ...given('code', fromColumn(code) as string | number | undefined),
    atLeast: Number(lines),
    failedNow: Number(failedNow),
    firstAt: new Date(Number(firstMs)),
    lastAt: new Date(Number(lastMs)),
    example: { key: key ?? '', ...given('error', storedError(error)) },
  }));
}

/** Attempts that ended badly, the newest first, and what is on record of each message now. */
export async function failureLines(context: Context, filter: LineFilter, after: string | undefined) {
  const [endedUs, id] = /^\d{1,18}-\d{1,18}$/.test(after ?? '') ? (after ?? '').split('-') : [];
  const rows = await read(context, 'lines', [
    ...parametersOf(filter),
    ...[filter.phase ?? null, String(LINES_PER_PAGE + 1), endedUs ?? null, id ?? null],
  ]);
  const last = rows.length > LINES_PER_PAGE ? rows[LINES_PER_PAGE - 1] : undefined;
  return {
    lines: rows.slice(0, LINES_PER_PAGE).map(([scope, key, ending, attempt, endedMs, error, phase]) => ({
      scope: scope ?? '',
      key: key ?? '',
      ending: ending as BadEnding,
      attempt: Number(attempt),
      endedAt: new Date(Number(endedMs)),
      ...given('error', storedError(error)),
      now: phase as RecordPhase | 'gone',
    })),
    ...given('next', last?.slice(-2).join('-')),
  };
}

export type Group = Awaited<ReturnType<typeof failureGroups>>[number];
export type LinePage = Awaited<ReturnType<typeof failureLines>>;

/** How many messages failed permanently in a time, and how many of them are failed now. */
export async function failedIn(context: Context, sinceMs: number) {
  const [row] = await read(context, 'failed', [String(sinceMs)]);
  return { atLeast: Number(row?.[0]), failedNow: Number(row?.[1]) };
}

/** When the oldest record of a group was first claimed, of those that are failed now. */
export async function oldestOfGroup(context: Context, filter: LineFilter): Promise<Date | undefined> {
  const [row] = await read(context, 'oldestOfGroup', parametersOf(filter));
  return dateIn(row?.[0]);
}
