import { type Cost, COSTS, costKind } from './costs.ts';
import type { Latency } from './latency/percentiles.ts';
import { rounded, type Spread, spread } from './statistics.ts';

/** The rates of one contender in messages per second, one for each round. */
export interface Sample {
  readonly contender: string;
  readonly rates: readonly number[];
}

export type Latencies = Readonly<Partial<Record<Latency, Spread>>>;

export interface ContenderFigures {
  readonly contender: string;
  readonly messagesPerSecond: Spread;
  /** Where rates are compared. */
  readonly ratio?: Spread;
  /** What each message cost, where that was measured. */
  readonly costs?: Readonly<Partial<Record<Cost, Spread>>>;
  /** In milliseconds, where they were measured. */
  readonly latencies?: Latencies;
  /** What its sessions waited for, where they were looked at. */
  readonly waits?: string;
}

/** Contenders in one setting, measured in turn. */
export interface Comparison {
  readonly setting: Readonly<Record<string, string | number>>;
  /** What each `ratio` is. */
  readonly ratioOf?: string;
  readonly contenders: readonly ContenderFigures[];
}

/** How many times as fast as each contender one of them was, round by round. */
export function compareTo(
  setting: Comparison['setting'],
  samples: readonly Sample[],
  one: string,
): Comparison {
  const ours = ratesOf(samples, one);
  return compare(setting, samples, `${one} to this one`, (rate, round) => (ours[round] ?? Number.NaN) / rate);
}

/** All that was measured in a setting, by kind of message. */
export type Measurements = ReadonlyMap<string, readonly Sample[]>;

/** The same with what a message of a kind cost each contender. */
export function withCosts(comparison: Comparison, measured: Measurements, kind: string): Comparison {
  const costOf = (cost: Cost, name: string): readonly (readonly [Cost, Spread])[] => {
    const sample = measured.get(costKind(kind, cost))?.find(({ contender }) => contender === name);
    return sample === undefined ? [] : [[cost, rounded(spread(sample.rates), 0)]];
  };
  const contenders = comparison.contenders.map((figures) => {
    const costs = COSTS.flatMap((cost) => costOf(cost, figures.contender));
    return costs.length === 0 ? figures : { ...figures, costs: Object.fromEntries(costs) };
  });
  return { ...comparison, contenders };
}

/** How one contender compares with the others in a setting: of each of these kinds of message, with its costs. */
export function comparisonsTo(
  setting: Comparison['setting'],
  measured: Measurements,
  one: string,
): Comparison[] {
  return ['fresh', 'duplicates'].flatMap((messages) => {
    const samples = measured.get(messages);
    if (samples === undefined) return [];
    return [withCosts(compareTo({ ...setting, messages }, samples, one), measured, messages)];
  });
}

/** How many times as fast as the base each contender was, round by round. */
export function compareWithBase(
  setting: Comparison['setting'],
  samples: readonly Sample[],
  base: string,
): Comparison {
  const others = ratesOf(samples, base);
  return compare(
    setting,
    samples,
    `this one to ${base}`,
    (rate, round) => rate / (others[round] ?? Number.NaN),
  );
}

function compare(
  setting: Comparison['setting'],
  samples: readonly Sample[],
  ratioOf: string,
  ratio: (rate: number, round: number) => number,
): Comparison {
  const contenders = samples.map(({ contender, rates }) => ({
    contender,
    messagesPerSecond: rounded(spread(rates), 0),
    ratio: rounded(spread(rates.map(ratio)), 2),
  }));
  return { setting, ratioOf, contenders };
}

function ratesOf(samples: readonly Sample[], name: string): readonly number[] {
  const sample = samples.find(({ contender }) => contender === name);
  if (sample === undefined) throw new Error(`${name} was not measured`);
  return sample.rates;
}
