import type { Comparison } from '../compare.ts';
import type { Figures } from '../section.ts';
import { lineChart } from './line-chart.ts';

/** Distinct, and readable on white and on black. */
const COLORS = ['#e8590c', '#3b82f6', '#a855f7', '#16a34a', '#0d9488', '#ca8a04'];

export function overInFlight({ comparisons }: Figures): string {
  const shown = comparisons.filter(
    ({ setting }) => setting['handler'] === 'empty' && setting['messages'] === 'fresh',
  );
  return lineChart({
    title: 'Fresh messages per second, empty handler, durable commits',
    xLabel: 'messages in flight',
    xTicks: shown.map(({ setting }) => Number(setting['inFlight']).toLocaleString('en')),
    yLabel: 'messages per second',
    yScale: 'logarithmic',
    lines: namesIn(shown).map((name, index) => ({
      name,
      color: colorOf(index),
      values: shown.map((comparison) => medianOf(comparison, name)),
    })),
  });
}

export function overTableSize({ comparisons }: Figures): string {
  const sizes = namesIn(comparisons);
  return lineChart({
    title: 'Fresh messages per second over the size of the table, 100 in flight',
    xLabel: 'settled records in the table',
    xTicks: sizes.map((size) => size.replace(' records', '')),
    yLabel: 'messages per second',
    yScale: 'linear',
    lines: comparisons.map((comparison, index) => ({
      name: String(comparison.setting['keys']),
      color: colorOf(index),
      values: sizes.map((size) => medianOf(comparison, size)),
    })),
  });
}

function namesIn(comparisons: readonly Comparison[]): string[] {
  return [...new Set(comparisons.flatMap(({ contenders }) => contenders.map(({ contender }) => contender)))];
}

function medianOf({ contenders }: Comparison, name: string): number | undefined {
  return contenders.find(({ contender }) => contender === name)?.messagesPerSecond.median;
}

function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? '#768390';
}
