import { InvalidArgumentError } from 'commander';

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** Longer than anything is kept. */
const MAX_DAYS = 3_650;
/** What a timer of Node can wait. */
const MAX_TIMER_DAYS = 24;

/** A time as people write it, such as `15m`, in milliseconds. */
export function duration(text: string): number {
  return durationUpTo(MAX_DAYS, text);
}

/** One for which something is waited. */
export function timeout(text: string): number {
  return durationUpTo(MAX_TIMER_DAYS, text);
}

function durationUpTo(maxDays: number, text: string, or = ''): number {
  const [, digits, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  const ms = Number(digits) * (unitMs ?? NaN);
  if (ms >= 1_000 && ms <= maxDays * DAY_MS) return ms;
  throw new InvalidArgumentError(`Write a time from 1s to ${maxDays}d, such as 30s, 15m, 24h or 7d${or}.`);
}

/** A day, which begins in UTC, or a moment with its time zone. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A `Date` takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A time ago as people write it, or a moment such as `2026-11-25T14:00:00Z`. */
export function momentOf(text: string): Date {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) {
    return new Date(Date.now() - durationUpTo(MAX_DAYS, text, ', or a moment such as 2026-11-25T14:00:00Z'));
  }
  const moment = new Date(MOMENT.test(text) && isDay(text.slice(0, 10)) ? text : NaN);
  if (Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError(
      'It is not a time: write 2026-11-25T14:00:00Z, with Z or an offset such as +01:00.',
    );
  // Times on record are by the clock of the database, which can be ahead.
  if (moment.getTime() > Date.now() + DAY_MS) throw new InvalidArgumentError('It is in the future.');
  return moment;
}

/** A whole number of seconds as people write it, in the largest unit that has no remainder. */
export function inUnits(ms: number): string {
  const [unit, unitMs] = Object.entries(UNITS).findLast(([, size]) => ms % size === 0) ?? ['s', 1_000];
  return `${ms / unitMs}${unit}`;
}

/** How long ago, in one unit. */
export function ago(then: Date, now: Date): string {
  const ms = Math.max(0, now.getTime() - then.getTime());
  const [unit, unitMs] = Object.entries(UNITS).findLast(([, size]) => ms >= size) ?? ['s', 1_000];
  return `${Math.floor(ms / unitMs)}${unit}`;
}
