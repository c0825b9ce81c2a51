import { parseArgs } from 'node:util';

export interface SimulationOptions {
  readonly seeds: number;
  readonly from: number;
  /** Whether the timeline is printed of a seed in which all rules held, too. */
  readonly timeline: boolean;
}

const USAGE = 'npm run simulate -- [--seeds N] [--from S] [--timeline]';

/** `--seeds N --from S`: 1,000 seeds from the first when nothing is given. */
export function parseOptions(args: readonly string[]): SimulationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      timeline: { type: 'boolean', default: false },
    },
  });
  const seeds = Number(values.seeds);
  const from = Number(values.from);
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) throw new Error(USAGE);
  return { seeds, from, timeline: values.timeline };
}
