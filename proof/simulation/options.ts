import { parseArgs } from 'node:util';
import { SURFACES } from './surfaces/index.ts';

export interface SimulationOptions {
  readonly seeds: number;
  readonly from: number;
  /** The name of the one whose seeds are run. Undefined: all are. */
  readonly surface: string | undefined;
  /** Whether the timeline is printed of a seed in which all rules held, too. */
  readonly timeline: boolean;
}

const USAGE = 'npm run simulate -- [--seeds N] [--from S] [--surface NAME] [--timeline]';

/** `--seeds N --from S`: 1,000 seeds from the first when nothing is given. */
export function parseOptions(args: readonly string[]): SimulationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      surface: { type: 'string' },
      timeline: { type: 'boolean', default: false },
    },
  });
  const seeds = Number(values.seeds);
  const from = Number(values.from);
  const { surface, timeline } = values;
  const isKnown = surface === undefined || SURFACES.some(({ name }) => name === surface);
  if (!isKnown) throw new Error(`no such surface: there are ${SURFACES.map(({ name }) => name).join(', ')}`);
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) throw new Error(USAGE);
  return { seeds, from, surface, timeline };
}
