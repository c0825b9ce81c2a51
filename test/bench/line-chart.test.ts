import { expect, it } from 'vitest';
import { type LineChart, lineChart } from '../../bench/report/line-chart.ts';

const chart: LineChart = {
  title: 'Rate <fresh>',
  xLabel: 'in flight',
  xTicks: ['1', '10', '100'],
  yLabel: 'messages per second',
  yScale: 'linear',
  lines: [
    { name: 'ours', color: '#e8590c', values: [0, 500, 1_000] },
    { name: 'theirs', color: '#3b82f6', values: [undefined, 250, 500] },
  ],
};

function pointsOf(svg: string): string[] {
  return [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = '']) => points);
}

it('draws a line through the values there are, upwards as they grow', () => {
  expect(pointsOf(lineChart(chart))).toEqual(['80,352 335,204 590,56', '335,278 590,204']);
});

it('draws every tenfold as far apart on a logarithmic axis', () => {
  const svg = lineChart({
    ...chart,
    yScale: 'logarithmic',
    lines: [{ name: 'ours', color: 'red', values: [10, 100, 1_000] }],
  });
  expect(pointsOf(svg)).toEqual(['80,352 335,204 590,56']);
  expect(svg).toContain('>1,000</text>');
});

it('names axes and lines, and keeps text from being markup', () => {
  const svg = lineChart(chart);
  for (const text of ['in flight', 'messages per second', 'ours', 'theirs', 'Rate &lt;fresh&gt;']) {
    expect(svg).toContain(`>${text}</text>`);
  }
  expect(svg).not.toContain('<fresh>');
});

it('paints no background, so that it can stand on light and dark', () => {
  expect(lineChart(chart)).not.toContain('<rect');
});
