import { Random } from '../world/random.ts';
import { http } from './http.ts';
import { lambda } from './lambda.ts';
import { sqsConsumer } from './sqs-consumer.ts';
import { sqsLoop } from './sqs-loop.ts';
import { sqsFifoWorker, sqsWorker } from './sqs-worker.ts';
import type { Surface } from './surface.ts';
import { webhook } from './webhook.ts';

export const SURFACES: readonly Surface[] = [
  sqsWorker,
  sqsFifoWorker,
  sqsLoop,
  sqsConsumer,
  lambda,
  webhook,
  http,
];

/** So that the lot of a seed is not the first one of its plan. */
const SALT = 0x51ed270b;

/** The one that a seed is of. */
export function surfaceOf(seed: number): Surface {
  const all = SURFACES.reduce((sum, { weight }) => sum + weight, 0);
  let lot = new Random(seed ^ SALT).next() * all;
  return SURFACES.find(({ weight }) => (lot -= weight) < 0) as Surface;
}
