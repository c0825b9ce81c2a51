import type { Row } from '../report.ts';
import type { Verdict } from './judge.ts';

/** Over the cells of a row. */
export const HEAD = [
  'fault',
  'messages',
  'faults',
  'lost',
  'doubled',
  'doubled, allowed',
  'recovery p99, s',
  'why handlers ran again',
];

export function rowOf(
  fault: string,
  messages: number,
  faults: number,
  { lost, doubled, allowed, recoveries, causes }: Verdict,
): Row {
  const counts = [messages, faults, lost.length, doubled.length, allowed.length];
  const why = [...causes].map(([cause, count]) => `${cause}: ${count}`).join('; ');
  return {
    fault,
    cells: [...counts.map((count) => count.toLocaleString('en')), seconds(recoveries), why],
  };
}

function seconds(times: readonly number[]): string {
  const p99 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1];
  return p99 === undefined ? '' : (p99 / 1_000).toFixed(1);
}

/** The rows as a table in Markdown. One that was not run says why in place of its figures. */
export function toTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const filled = rows.map(({ fault, cells }) =>
    typeof cells === 'string'
      ? line([fault, 'not run', ...HEAD.slice(3).map(() => ''), cells])
      : line([fault, ...cells]),
  );
  return [line(HEAD), line(HEAD.map(() => '---')), ...filled].join('\n');
}
