import type { Comparison } from '../compare.ts';
import type { Figures } from '../section.ts';
import type { Spread } from '../statistics.ts';

/** The figures of a section as text, tables of Markdown among it. */
export function toMarkdown(name: string, { facts, comparisons }: Figures): string {
  const known = Object.entries(facts).map(([fact, value]) => `${fact}: ${String(value)}`);
  return [`## ${name}`, known.join('; '), ...comparisons.map(table)].join('\n\n');
}

function table({ setting, ratioOf, contenders }: Comparison): string {
  const caption = Object.entries(setting).map(([name, value]) => `${name}: ${value}`);
  const hasCpu = contenders.some(({ cpu }) => cpu !== undefined);
  const rows = contenders.map(({ contender, messagesPerSecond, ratio, cpu }) =>
    row([
      contender,
      withSpread(messagesPerSecond, 0),
      withSpread(ratio, 2),
      ...(hasCpu ? [inMicroseconds(cpu?.client), inMicroseconds(cpu?.server)] : []),
    ]),
  );
  const head = [caption.join(', '), 'msg/s', ratioOf, ...(hasCpu ? ['client CPU', 'server CPU'] : [])];
  return [row(head), row(head.map(() => '---')), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function inMicroseconds(spread: Spread | undefined): string {
  return spread === undefined ? '-' : `${withSpread(spread, 0)} us`;
}

function withSpread({ min, median, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}
