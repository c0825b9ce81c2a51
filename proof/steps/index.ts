import type { Step } from '../step.ts';
import { chaos } from './chaos.ts';
import { databaseFuzz } from './database-fuzz.ts';
import { limits } from './limits.ts';
import { program } from './program.ts';

/** In the order in which they run, and in which their sections stand in docs/proof.md. */
export const STEPS: readonly Step[] = [
  databaseFuzz,
  limits,
  program('model', 'The larger models', () => ['model', '--', '--large']),
  program('simulation', 'The simulation', (seed) => [
    'simulate',
    '--',
    '--seeds',
    '10000',
    '--from',
    String(seed),
  ]),
  chaos,
  program('kafka', 'Storms on Kafka', (seed) => ['chaos', '--', 'kafka', '--seed', String(seed)]),
];
