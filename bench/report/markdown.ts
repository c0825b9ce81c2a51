import type { Comparison, ContenderFigures } from '../compare.ts';
import { type Cost, COSTS } from '../costs.ts';
import { LATENCIES } from '../latency/percentiles.ts';
import type { Figures } from '../section.ts';
import type { Spread } from '../statistics.ts';

const TITLES: Readonly<Record<Cost, string>> = {
  client: 'client CPU, us',
  server: 'server CPU, us',
  wal: 'WAL, bytes',
};

/** The figures of a section as text, tables of Markdown among it. */
export function toMarkdown(name: string, figures: Figures): string {
  return `## ${name}\n\n${withoutHeading(figures)}`;
}

/** The same without its heading. */
function withoutHeading({ facts, comparisons }: Figures): string {
  const known = Object.entries(facts).map(([fact, value]) => `${fact}: ${String(value)}`);
  return [known.join('; '), ...comparisons.map(toTable)].join('\n\n');
}

interface Column {
  readonly title: string;
  /** Undefined for what was not measured. */
  readonly cell: (figures: ContenderFigures) => string | undefined;
}

function toTable(comparison: Comparison): string {
  const { setting, contenders } = comparison;
  const caption = Object.entries(setting).map(([name, value]) => `${name}: ${value}`);
  const columns = columnsOf(comparison).filter(({ cell }) =>
    contenders.some((one) => cell(one) !== undefined),
  );
  return tableOf([
    [caption.join(', '), ...columns.map(({ title }) => title)],
    ...contenders.map((one) => [one.contender, ...columns.map(({ cell }) => cell(one) ?? '-')]),
  ]);
}

function columnsOf({ ratioOf = '' }: Comparison): Column[] {
  return [
    { title: 'msg/s', cell: ({ messagesPerSecond }) => withSpread(messagesPerSecond, 0) },
    { title: ratioOf, cell: ({ ratio }) => withSpread(ratio, 2) },
    ...LATENCIES.map((latency): Column => ({
      title: `${latency}, ms`,
      cell: ({ latencies }) => withSpread(latencies?.[latency], 2),
    })),
    ...COSTS.map((cost): Column => ({
      title: TITLES[cost],
      cell: ({ costs }) => withSpread(costs?.[cost], 0),
    })),
    { title: 'its sessions wait for', cell: ({ waits }) => waits },
  ];
}

/** A table of Markdown, whose first row is its head. */
export function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function withSpread(spread: Spread | undefined, digits: number): string | undefined {
  if (spread === undefined) return undefined;
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(digits));
  return `${median} (${min} to ${max})`;
}
