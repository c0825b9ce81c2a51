import type { Surface } from '../actors/surface.ts';
import { kafka, kafkaBatch } from '../kafka/surface.ts';
import { Random } from '../time/random.ts';
import { http } from './http.ts';
import { lambda } from './lambda.ts';
import { sqsBatch, sqsBatchMarked } from './sqs-batch.ts';
import { sqsConsumer } from './sqs-consumer.ts';
import { sqsLoop } from './sqs-loop.ts';
import { sharedPool, sqsFifoWorker, sqsSteps, sqsTransaction, sqsWorker } from './sqs-worker.ts';
import { webhook } from './webhook.ts';

export const SURFACES: readonly Surface[] = [
  sqsWorker,
  sqsTransaction,
  sharedPool,
  sqsFifoWorker,
  sqsLoop,
  sqsConsumer,
  lambda,
  webhook,
  http,
  kafka,
  sqsBatch,
  sqsBatchMarked,
  kafkaBatch,
  sqsSteps,
];

/**
 * The one that a seed is of. Each has a lot of its own for a seed, so that a new one takes seeds from the others and
 * leaves all others where they are.
 */
export function surfaceOf(seed: number): Surface {
  const lots = SURFACES.map((surface) => ({
    surface,
    lot: -Math.log(lotOf(seed, surface)) / surface.weight,
  }));
  return lots.reduce((first, other) => (other.lot < first.lot ? other : first)).surface;
}

function lotOf(seed: number, { name }: Surface): number {
  const salt = Buffer.from(name).reduce((sum, byte) => (31 * sum + byte) | 0, 0);
  return new Random(seed ^ salt).next();
}
