import type { StoredError } from '../../../src/words/outcome.ts';

/** `Messages` */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 record`, `2,000 records` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

export function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), BYTE_UNITS.length - 1);
  const scaled = value / 1_024 ** power;
  return `${scaled >= 100 || power === 0 ? Math.round(scaled) : scaled.toFixed(1)} ${BYTE_UNITS[power]}`;
}

const TIME_UNITS = Object.entries({ d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 });

/** In one unit, such as `90 min`: two of it before a larger one is taken. */
export function duration(ms: number): string {
  const [unit, unitMs] = TIME_UNITS.find(([, known]) => ms >= 2 * known) ?? ['ms', 1];
  return `${Math.floor(ms / unitMs)} ${unit}`;
}

/** `2026-11-27 14:05:03 UTC` */
export function moment(at: Date): string {
  if (Number.isNaN(at.getTime())) return 'an unknown time';
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `14:05` */
export function clock(at: Date): string {
  return at.toISOString().slice(11, 16);
}

/** `14 min ago`, `in 3 d` */
export function relative(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (Math.abs(ms) < 1_000) return 'now';
  const span = Math.abs(ms) < 2_000 ? '1 s' : duration(Math.abs(ms));
  return ms > 0 ? `${span} ago` : `in ${span}`;
}

const LONGEST_ERROR = 300;

/** `Error (ECONNREFUSED)` */
export function withCode(name: string, code: string | number | undefined): string {
  return code === undefined ? name : `${name} (${code})`;
}

/** The name of an error and its message, with its causes; the beginning of it. */
export function errorText(error: StoredError | undefined): string | undefined {
  if (error === undefined) return undefined;
  const text = chainOf(error)
    .map(({ name, message, code }) => `${withCode(name, code)}${message === '' ? '' : `: ${message}`}`)
    .join(', caused by ');
  return text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR)}…` : text;
}

/** An error and its causes. */
export function chainOf(error: StoredError | undefined): readonly StoredError[] {
  return error === undefined ? [] : [error, ...chainOf(error.cause)];
}
