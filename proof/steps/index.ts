import type { Step } from '../step.ts';
import { chaos } from './chaos.ts';
import { databaseFuzz } from './database-fuzz.ts';
import { limits } from './limits.ts';
import { overlap } from './overlap.ts';
import { program } from './program.ts';
import { storms } from './storms.ts';

const SAME = 'The columns are those of [workers](#chaos-workers).';

/** In the order in which they run, and in which their sections stand in docs/evidence/proof.md. */
export const STEPS: readonly Step[] = [
  databaseFuzz,
  limits,
  overlap,
  program('model', 'The models', 'tables', () => ['model', '--', '--large']),
  program('simulation', 'The simulation', 'text', (seed) => [
    'simulate',
    '--',
    '--seeds',
    '10000',
    '--from',
    String(seed),
  ]),
  program('planted', 'Planted bugs', 'tables', () => ['planted']),
  program('planted-sql', 'Bugs planted in the SQL', 'tables', () => ['planted', '--', '--sql']),
  chaos(
    'workers',
    'Chaos: workers',
    ['control', 'workers'],
    'Lost is a message without an effect, doubled one with more than one. It is allowed where each run that left an ' +
      'effect behind has a cause that [guarantees](../guarantees.md) names, on record in what the workers reported. ' +
      'Recovery is the time until a message succeeded that was in flight when a fault began: from the fault of its ' +
      'worker, or from the end of one that hit all. The first two rows have no library: there the checks have to find ' +
      'something. `proof/chaos/README.md` says what each case does.',
  ),
  chaos('postgres', 'Chaos: PostgreSQL', ['postgres'], SAME),
  chaos('sqs', 'Chaos: SQS', ['sqs'], SAME),
  chaos('batches', 'Chaos: batches', ['batches'], SAME),
  storms,
];
