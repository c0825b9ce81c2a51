export interface Line {
  readonly name: string;
  readonly color: string;
  /** One for each tick of the x axis; undefined where there is none. */
  readonly values: readonly (number | undefined)[];
}

export interface LineChart {
  readonly title: string;
  readonly xLabel: string;
  readonly xTicks: readonly string[];
  readonly yLabel: string;
  /** Every tenfold as far apart, or from zero. */
  readonly yScale: 'logarithmic' | 'linear';
  readonly lines: readonly Line[];
}

const WIDTH = 940;
const HEIGHT = 420;
const PLOT = { left: 80, right: 590, top: 56, bottom: 352 };
/** Readable on white and on black. */
const INK = '#768390';
const LEGEND = { left: 622, top: 74, step: 26 };

/** A chart as the text of an SVG file. */
export function lineChart(chart: LineChart): string {
  const ticks = yTicks(chart);
  const top = ticks.at(-1) ?? 1;
  const bottom = ticks[0] ?? 0;
  const share = (value: number): number =>
    chart.yScale === 'linear'
      ? (value - bottom) / (top - bottom)
      : Math.log10(value / bottom) / Math.log10(top / bottom);
  const y = (value: number): number => PLOT.bottom - share(value) * (PLOT.bottom - PLOT.top);
  const step = (PLOT.right - PLOT.left) / Math.max(1, chart.xTicks.length - 1);
  const x = (index: number): number => PLOT.left + index * step;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="${INK}">`,
    `<title>${escaped(chart.title)}</title>`,
    text(PLOT.left, 28, chart.title, 'font-size="16" font-weight="bold"'),
    ...ticks.flatMap((tick) => [
      line([PLOT.left, y(tick)], [PLOT.right, y(tick)], `stroke="${INK}" stroke-opacity="0.3"`),
      text(PLOT.left - 10, y(tick) + 4, tick.toLocaleString('en'), 'text-anchor="end"'),
    ]),
    ...chart.xTicks.map((tick, index) => text(x(index), PLOT.bottom + 22, tick, 'text-anchor="middle"')),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 48, chart.xLabel, 'text-anchor="middle"'),
    text(
      ...([18, (PLOT.top + PLOT.bottom) / 2] as const),
      chart.yLabel,
      `text-anchor="middle" transform="rotate(-90 18 ${(PLOT.top + PLOT.bottom) / 2})"`,
    ),
    ...chart.lines.flatMap((drawn, index) => [
      ...path(drawn, x, y),
      line(
        [LEGEND.left, LEGEND.top + index * LEGEND.step],
        [LEGEND.left + 22, LEGEND.top + index * LEGEND.step],
        `stroke="${drawn.color}" stroke-width="3"`,
      ),
      text(LEGEND.left + 30, LEGEND.top + index * LEGEND.step + 4, drawn.name, ''),
    ]),
    '</svg>',
    '',
  ].join('\n');
}

function yTicks({ yScale, lines }: LineChart): number[] {
  const values = lines.flatMap((drawn) => drawn.values.filter((value) => value !== undefined));
  const most = Math.max(1, ...values);
  if (yScale === 'logarithmic') {
    const first = Math.floor(Math.log10(Math.max(1, Math.min(...values))));
    const last = Math.max(first + 1, Math.ceil(Math.log10(most)));
    return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  }
  const step = [1, 2, 5, 10].map((times) => times * 10 ** Math.floor(Math.log10(most / 4)));
  const chosen = step.find((size) => most / size <= 5) ?? most;
  return Array.from({ length: Math.ceil(most / chosen) + 1 }, (_, index) => index * chosen);
}

type Point = readonly [x: number, y: number];

function path(drawn: Line, x: (index: number) => number, y: (value: number) => number): string[] {
  const points = drawn.values.flatMap((value, index): Point[] =>
    value === undefined ? [] : [[x(index), y(value)]],
  );
  return [
    `<polyline points="${points.map((point) => point.map(short).join(',')).join(' ')}" fill="none" stroke="${drawn.color}" stroke-width="2.5"/>`,
    ...points.map(([cx, cy]) => `<circle cx="${short(cx)}" cy="${short(cy)}" r="4" fill="${drawn.color}"/>`),
  ];
}

function line([x1, y1]: Point, [x2, y2]: Point, style: string): string {
  return `<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}" ${style}/>`;
}

function text(x: number, y: number, content: string, style: string): string {
  return `<text x="${short(x)}" y="${short(y)}" ${style}>${escaped(content)}</text>`;
}

function short(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
