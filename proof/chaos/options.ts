import { parseArgs } from 'node:util';
import type { Chaos } from './chaos.ts';
import type { Report } from './report.ts';

export type Run = (chaos: Chaos) => Promise<Report>;

/** By group, and by name in it. */
export type Scenarios = Readonly<Record<string, Readonly<Record<string, readonly Run[]>>>>;

export interface ChaosOptions {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  readonly quick: boolean;
  /** A file that gets the reports as JSON. */
  readonly output: string | undefined;
}

export interface Scenario {
  /** With its group. */
  readonly name: string;
  readonly runs: readonly Run[];
}

/** Groups, each with the names of some of its scenarios, or without for all of them; and options. */
export function parseOptions(args: readonly string[], known: Scenarios): ChaosOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      quick: { type: 'boolean', default: false },
      output: { type: 'string' },
    },
    allowPositionals: true,
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const scenarios = scenariosOf(positionals, known);
  if (scenarios === undefined || !Number.isSafeInteger(seed)) throw new Error(usage(known));
  return { scenarios, seed, quick: values.quick, output: values.output };
}

function scenariosOf(words: readonly string[], known: Scenarios): readonly Scenario[] | undefined {
  const asked = new Map<string, string[]>();
  let group = '';
  for (const word of words) {
    if (known[group]?.[word] !== undefined) asked.get(group)?.push(word);
    else if (known[word] !== undefined) asked.set((group = word), []);
    else return undefined;
  }
  if (asked.size === 0) return undefined;
  return [...asked].flatMap(([name, names]) =>
    Object.entries(known[name] ?? {})
      .filter(([one]) => names.length === 0 || names.includes(one))
      .map(([one, runs]) => ({ name: `${name} ${one}`, runs })),
  );
}

function usage(known: Scenarios): string {
  const groups = Object.entries(known).map(
    ([group, scenarios]) => `npm run chaos -- ${group} [${Object.keys(scenarios).join(' | ')}]`,
  );
  return [...groups, 'Several groups at once, and [--seed N] [--quick] [--output FILE]'].join('\n');
}
