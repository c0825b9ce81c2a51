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
  const rows = contenders.map(
    ({ contender, messagesPerSecond, ratio }) =>
      `| ${contender} | ${withSpread(messagesPerSecond, 0)} | ${withSpread(ratio, 2)} |`,
  );
  const head = [`| ${caption.join(', ')} | msg/s | ${ratioOf} |`, '| --- | --- | --- |'];
  return [...head, ...rows].join('\n');
}

function withSpread({ min, median, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}
