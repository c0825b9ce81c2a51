import type { Comparison } from '../compare.ts';
import type { Cost } from '../costs.ts';
import { OURS } from '../core/handle-once.ts';
import type { Figures } from '../section.ts';
import { tableOf } from './markdown.ts';

/** What docs/scaling.md shows, by the names of its places. All figures are in docs/evidence/benchmarks. */
export function forScaling(
  results: Readonly<Partial<Record<string, Figures>>>,
): Readonly<Record<string, string>> {
  const { core, scale, partitions, citus } = results;
  const shown = Object.entries({ scale, partitions, citus }).flatMap(([name, figures]) =>
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

const MESSAGES = 100_000;
/** As workers have: fewer in flight share fewer statements. */
const IN_FLIGHT = [100, 1_000];

/** What so many messages a second take, by what one of them costs. */
function needsOf({ comparisons }: Figures): string {
  const ours = comparisons
    .filter(({ setting }) => setting['handler'] === 'empty' && setting['messages'] === 'fresh')
    .filter(({ setting }) => IN_FLIGHT.includes(Number(setting['inFlight'])));
  const cores = (cost: Cost): string => `${rangeOf(ours, cost, MESSAGES / 1_000_000, 1)} cores`;
  return tableOf([
    ['of', `for ${MESSAGES.toLocaleString('en')} messages a second`],
    ['workers', `${cores('client')}, without those of the handlers and of the broker's client`],
    ['the database', `${cores('server')}, without those of autovacuum and of maintenance`],
    [
      'its disk',
      `${rangeOf(ours, 'wal', MESSAGES / 1_000_000, 0)} MB of WAL a second, more after a checkpoint`,
    ],
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
