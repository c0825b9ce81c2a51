import { given, type RecordPhase, storedError } from '../../operations/record.ts';
import type { BadEnding } from '../../../src/history/line.ts';
import type { StoredError } from '../../../src/words/outcome.ts';
import type { Context } from '../context.ts';
import { dateIn, nameIn, nameParameter, read } from './read.ts';

/** Which lines of the table `failures`. */
export interface LineFilter {
  readonly sinceMs: number;
  readonly scope?: string | undefined;
  readonly ending?: string | undefined;
  /** The name of an error. */
  readonly error?: string | undefined;
  /** What the record is now. Default: whatever it is, and also where it is gone. */
  readonly state?: string | undefined;
}

/** Attempts that ended alike. Lines are written best effort: there may have been more. */
export interface Group {
  readonly scope: string;
  readonly ending: BadEnding;
  readonly error?: string;
  readonly atLeast: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Of the newest. */
  readonly example: { readonly key: string; readonly error?: StoredError };
}

/** An attempt that ended badly, and what is on record of its message now. */
export interface FailureLine {
  readonly scope: string;
  readonly key: string;
  readonly ending: BadEnding;
  readonly attempt: number;
  readonly endedAt: Date;
  readonly error?: StoredError;
  readonly now: RecordPhase | 'gone';
}

export interface LinePage {
  readonly lines: readonly FailureLine[];
  readonly next?: string;
}

const MOST_GROUPS = 100;
const LINES_PER_PAGE = 50;

function parametersOf({ sinceMs, scope, ending, error }: LineFilter): (string | null)[] {
  return [String(sinceMs), scope ?? null, ending ?? null, nameParameter(error)];
}

export async function failureGroups(context: Context, filter: LineFilter): Promise<readonly Group[]> {
  const rows = await read(context, 'groups', [...parametersOf(filter), String(MOST_GROUPS)]);
  return rows.map(([scope, ending, name, lines, firstMs, lastMs, key, error]) => ({
    scope: scope ?? '',
    ending: ending as BadEnding,
    ...given('error', nameIn(name)),
    atLeast: Number(lines),
    firstAt: new Date(Number(firstMs)),
    lastAt: new Date(Number(lastMs)),
    example: { key: key ?? '', ...given('error', storedError(error)) },
  }));
}

/** The newest first. */
export async function failureLines(
  context: Context,
  filter: LineFilter,
  after: string | undefined,
): Promise<LinePage> {
  const [endedUs, id] = /^\d{1,18}-\d{1,18}$/.test(after ?? '') ? (after ?? '').split('-') : [];
  const rows = await read(context, 'lines', [
    ...parametersOf(filter),
    ...[filter.state ?? null, String(LINES_PER_PAGE + 1), endedUs ?? null, id ?? null],
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
      now: phase as FailureLine['now'],
    })),
    ...given('next', last?.slice(-2).join('-')),
  };
}

/** When the oldest record of a group was first claimed, of those that are failed now. */
export async function oldestOfGroup(context: Context, filter: LineFilter): Promise<Date | undefined> {
  const [row] = await read(context, 'oldestOfGroup', parametersOf(filter));
  return dateIn(row?.[0]);
}
