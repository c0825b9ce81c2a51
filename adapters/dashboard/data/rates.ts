import type { StatsRow } from '../../operations/read-stats.ts';

/** What is counted by name, and the events that it stands for. */
const EVENTS = {
  claims: ['claimed', 'taken-over'],
  replays: ['replayed'],
  'failed attempts': ['failed', 'released'],
  takeovers: ['taken-over'],
  'handlers beyond a lease': ['still-running'],
} as const satisfies Record<string, readonly StatsRow['event'][]>;

export type Rates = Readonly<Record<keyof typeof EVENTS, readonly number[]>>;

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The events of the table `stats`, counted for so many bars of so many milliseconds, the newest last. */
export function ratesOf(stats: readonly StatsRow[], now: Date, bars: number, eachMs: number): Rates {
  const counted = (events: readonly string[]): readonly number[] => {
    const values = Array.from({ length: bars }, () => 0);
    for (const { event, minute, count } of stats) {
      const bar = bars - 1 - Math.floor((now.getTime() - minute.getTime()) / eachMs);
      if (values[bar] !== undefined && events.includes(event)) values[bar] += count;
    }
    return values;
  };
  return Object.fromEntries(Object.entries(EVENTS).map(([name, events]) => [name, counted(events)])) as Rates;
}
