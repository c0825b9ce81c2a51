import { UsageError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as people write it, such as `15m`, in milliseconds. */
export function duration(text: string): number {
  const [, digits, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (digits === undefined || unitMs === undefined) {
    throw new UsageError(`${text} is no time: write 30s, 15m, 24h or 7d`);
  }
  return Number(digits) * unitMs;
}

/** How many milliseconds ago: a time as people write it, or a moment such as `2026-11-25T14:00:00Z`. */
export function timeAgo(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return duration(text);
  const ms = Date.now() - Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`${text} is not a moment: write 2026-11-25T14:00:00Z`);
  if (ms < 0) throw new UsageError(`${text} lies in the future`);
  return ms;
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
