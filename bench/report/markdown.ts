import type { Comparison } from '../compare.ts';
import { type Cost, COSTS } from '../costs.ts';
import type { Figures } from '../section.ts';
import type { Spread } from '../statistics.ts';

const TITLES: Readonly<Record<Cost, string>> = {
  client: 'client CPU, us',
  server: 'server CPU, us',
  wal: 'WAL, bytes',
};

/** The figures of a section as text, tables of Markdown among it. */
export function toMarkdown(name: string, { facts, comparisons }: Figures): string {
  const known = Object.entries(facts).map(([fact, value]) => `${fact}: ${String(value)}`);
  return [`## ${name}`, known.join('; '), ...comparisons.map(table)].join('\n\n');
}

function table({ setting, ratioOf, contenders }: Comparison): string {
  const caption = Object.entries(setting).map(([name, value]) => `${name}: ${value}`);
  const known = COSTS.filter((cost) => contenders.some(({ costs }) => costs?.[cost] !== undefined));
  const rows = contenders.map(({ contender, messagesPerSecond, ratio, costs }) =>
    row([
      contender,
      withSpread(messagesPerSecond, 0),
      withSpread(ratio, 2),
      ...known.map((cost) => costOf(costs?.[cost])),
    ]),
  );
  const head = [caption.join(', '), 'msg/s', ratioOf, ...known.map((cost) => TITLES[cost])];
  return [row(head), row(head.map(() => '---')), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function costOf(spread: Spread | undefined): string {
  return spread === undefined ? '-' : withSpread(spread, 0);
}

function withSpread({ min, median, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}
