import type { Comparison } from '../compare.ts';
import type { Cost } from '../costs.ts';
import { OURS } from '../core/handle-once.ts';
import type { Figures } from '../section.ts';
import { tableOf } from './markdown.ts';

/** What docs/scaling.md shows, by the names of its places. All figures are in docs/evidence/benchmarks. */
export function forScaling(
  results: Readonly<Partial<Record<string, Figures>>>,
): Readonly<Record<string, string>> {
  const { core, partitions, citus } = results;
  const shown = Object.entries({ partitions, citus }).flatMap(([name, figures]) =>
    figures === undefined ? [] : [[name, ratesOf(figures)] as const],
  );
  return Object.fromEntries([...(core ? [['needs', needsOf(core)] as const] : []), ...shown]);
}

/** Messages a second, by setting and contender. */
function ratesOf({ comparisons }: Figures): string {
  const fresh = comparisons.filter(({ setting }) => setting['messages'] !== 'duplicates');
  const names = fresh[0]?.contenders.map(({ contender }) => contender) ?? [];
  return tableOf([
    ['messages a second', ...names],
    ...fresh.map(({ setting, contenders }) => [
      Object.entries(setting)
        .filter(([name]) => name !== 'messages')
        .map(([name, value]) => `${name === 'inFlight' ? 'in flight' : name}: ${value}`)
        .join(', '),
      ...contenders.map(({ messagesPerSecond: { median } }) => Math.round(median).toLocaleString('en')),
    ]),
  ]);
}

/** Messages a second, and with how many in flight: fewer share fewer statements. */
const LOADS = [
  { messages: 1_000, inFlight: [10], digits: 2 },
  { messages: 100_000, inFlight: [100, 1_000], digits: 1 },
];

/** What so many messages a second take, by what one of them costs. */
function needsOf({ comparisons }: Figures): string {
  const empty = comparisons.filter(
    ({ setting }) => setting['handler'] === 'empty' && setting['messages'] === 'fresh',
  );
  const row = (what: string, cost: Cost, unit: string): string[] => [
    what,
    ...LOADS.map(({ messages, inFlight, digits }) => {
      const ours = empty.filter(({ setting }) => inFlight.includes(Number(setting['inFlight'])));
      return `${rangeOf(ours, cost, messages / 1_000_000, digits)} ${unit}`;
    }),
  ];
  return tableOf([
    ['of', ...LOADS.map(({ messages }) => `${messages.toLocaleString('en')} messages a second`)],
    [
      'in flight in a worker',
      ...LOADS.map(({ inFlight }) => inFlight.map((n) => n.toLocaleString('en')).join(' to ')),
    ],
    row('workers, without handlers and broker client', 'client', 'cores'),
    row('database, without autovacuum and maintenance', 'server', 'cores'),
    row('its WAL, more after a checkpoint', 'wal', 'MB a second'),
  ]);
}

/** From the lowest median to the highest. */
function rangeOf(comparisons: readonly Comparison[], cost: Cost, times: number, digits: number): string {
  const medians = comparisons
    .flatMap(({ contenders }) => contenders.filter(({ contender }) => contender === OURS))
    .flatMap(({ costs }) => costs?.[cost]?.median ?? []);
  const [low, high] = [Math.min(...medians), Math.max(...medians)].map((each) =>
    (each * times).toFixed(digits),
  );
  return low === high ? `${low}` : `${low} to ${high}`;
}
