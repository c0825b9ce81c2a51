import type { StatsRow } from '../../operations/read-stats.ts';

/** How often each happened, in equal spans of time, the newest last. */
export type Rates = Readonly<Record<'claims' | 'replays' | 'failures' | 'takeovers', readonly number[]>>;

/** The events of the table `stats`, counted for so many bars of so many milliseconds. */
export function ratesOf(stats: readonly StatsRow[], now: Date, bars: number, eachMs: number): Rates {
  const valuesOf = (...events: readonly StatsRow['event'][]): number[] => {
    const values = Array.from({ length: bars }, () => 0);
    for (const { event, minute, count } of stats) {
      const bar = bars - 1 - Math.floor((now.getTime() - minute.getTime()) / eachMs);
      if (bar >= 0 && bar < bars && events.includes(event)) values[bar] = (values[bar] ?? 0) + count;
    }
    return values;
  };
  return {
    claims: valuesOf('claimed', 'taken-over'),
    replays: valuesOf('replayed'),
    failures: valuesOf('failed', 'released'),
    takeovers: valuesOf('taken-over'),
  };
}
