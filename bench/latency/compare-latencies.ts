import type { Comparison, Latencies, Measurements } from '../compare.ts';
import { rounded, spread } from '../statistics.ts';
import { type Latency, PERCENTILES } from './percentiles.ts';

/** The latencies of all in a setting, and what each adds to those of the base, round by round. */
export function compareLatencies(
  setting: Comparison['setting'],
  measured: Measurements,
  base: string,
): Comparison {
  const roundsOf = (kind: string, name: string): readonly number[] =>
    measured.get(kind)?.find(({ contender }) => contender === name)?.rates ?? [];

  function addedTo(kind: string, name: string): number[] {
    const floor = roundsOf(kind, base);
    return roundsOf(kind, name).map((value, round) => value - (floor[round] ?? Number.NaN));
  }

  function latenciesOf(name: string): Latencies {
    const all = PERCENTILES.flatMap(({ name: kind }): [Latency, readonly number[]][] => [
      [kind, roundsOf(kind, name)],
      ...(name === base ? [] : [[`${kind} added`, addedTo(kind, name)] satisfies [Latency, number[]]]),
    ]);
    return Object.fromEntries(all.map(([kind, values]) => [kind, rounded(spread(values), 2)]));
  }

  const contenders = (measured.get('fresh') ?? []).map(({ contender, rates }) => ({
    contender,
    messagesPerSecond: rounded(spread(rates), 0),
    latencies: latenciesOf(contender),
  }));
  return { setting, contenders };
}
