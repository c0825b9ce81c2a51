import { rounded, type Spread, spread } from './statistics.ts';

/** The rates of one contender in messages per second, one for each round. */
export interface Sample {
  readonly contender: string;
  readonly rates: readonly number[];
}

export interface ContenderFigures {
  readonly contender: string;
  readonly messagesPerSecond: Spread;
  readonly ratio: Spread;
  /** Microseconds of CPU for each message, where they were measured. */
  readonly cpu?: { readonly client: Spread; readonly server?: Spread };
}

/** Contenders in one setting, measured in turn. */
export interface Comparison {
  readonly setting: Readonly<Record<string, string | number>>;
  /** What each `ratio` is. */
  readonly ratioOf: string;
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

/** The same with the CPU that each contender took; the rates of these samples are microseconds for each message. */
export function withCpu(
  comparison: Comparison,
  { client, server }: { readonly client: readonly Sample[]; readonly server: readonly Sample[] },
): Comparison {
  const spreadOf = (samples: readonly Sample[], name: string) => rounded(spread(ratesOf(samples, name)), 0);
  const contenders = comparison.contenders.map((figures) => ({
    ...figures,
    cpu: {
      client: spreadOf(client, figures.contender),
      ...(server.length === 0 ? {} : { server: spreadOf(server, figures.contender) }),
    },
  }));
  return { ...comparison, contenders };
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
