import { parseArgs } from 'node:util';
import { SCENARIOS, type ScenarioName } from './kafka/scenarios.ts';

export interface ChaosOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly seed: number;
  readonly quick: boolean;
  /** A file that gets the reports as JSON. */
  readonly output: string | undefined;
}

const NAMES = Object.keys(SCENARIOS) as ScenarioName[];
const USAGE = `npm run chaos -- kafka [${NAMES.join(' | ')}] [--seed N] [--quick] [--output FILE]`;

/** `kafka [scenario ...] [--seed N] [--quick] [--output FILE]`: all scenarios when none is named. */
export function parseOptions(args: readonly string[]): ChaosOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      quick: { type: 'boolean', default: false },
      output: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [broker, ...names] = positionals;
  const unknown = names.filter((name) => !NAMES.includes(name as ScenarioName));
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  if (broker !== 'kafka' || unknown.length > 0 || !Number.isSafeInteger(seed)) throw new Error(USAGE);
  const asked = NAMES.filter((name) => names.includes(name));
  return { scenarios: asked.length > 0 ? asked : NAMES, seed, quick: values.quick, output: values.output };
}
