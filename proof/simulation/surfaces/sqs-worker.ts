import { createSqsWorker, type SqsAttempt } from '../../../adapters/sqs/index.ts';
import type { Process } from '../actors/process.ts';
import { OWN_KEYS, type Surface, type Worker } from '../actors/surface.ts';
import {
  BROKER_FAULTS,
  FIFO_FAULTS,
  POOL_FAULTS,
  QUEUE_OUTCOMES,
  SQS_FAULTS,
  STANDARD_FAULTS,
  TRANSACTION_FAULTS,
} from '../facts/names.ts';
import type { Queue } from '../models/queue.ts';
import type { Transaction } from '../models/transactions.ts';
import { keyInBody, onFailedOf, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { onFifo } from '../plan/settings.ts';
import { atomic } from '../rules/atomic.ts';
import { inOrder } from '../rules/in-order.ts';
import { stepsEnded, stepsInLease, stepsOnce, stepsTruthful } from '../rules/steps.ts';
import { visibilityAboveLease } from '../rules/visibility-above-lease.ts';
import type { World } from '../world/world.ts';
import { queueEventTeller } from './queue-events.ts';
import { openQueue } from './queue-scene.ts';

/** The SQS worker of the package, on a standard queue. */
export const sqsWorker: Surface = {
  name: 'sqs-worker',
  weight: 25,
  identity: OWN_KEYS,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS, ...STANDARD_FAULTS],
  outcomes: [...QUEUE_OUTCOMES, 'received', 'returned', 'visibility-extended', 'visibility-lost'],
  lacks: [],
  rules: [visibilityAboveLease],
  fit: (settings) => settings,
  open: (world, database) => openQueue(world, database, startWorker),
};

/** The same with handlers in transactions, which have their records in them. */
export const sqsTransaction: Surface = {
  ...sqsWorker,
  name: 'transaction',
  weight: 12,
  faults: [...sqsWorker.faults, ...TRANSACTION_FAULTS, ...POOL_FAULTS],
  rules: [visibilityAboveLease, atomic],
  fit: (settings, random) => ({ ...settings, inTransaction: true, connections: random.whole(2, 6) }),
};

/** The same without transactions, and with a pool of which each handler keeps a connection. */
export const sharedPool: Surface = {
  ...sqsWorker,
  name: 'shared-pool',
  weight: 8,
  faults: [...sqsWorker.faults, ...POOL_FAULTS],
  fit: (settings, random) => ({ ...settings, connections: random.whole(1, 5), handlersHold: true }),
};

/** The same with handlers that do their effects in steps. */
export const sqsSteps: Surface = {
  ...sqsWorker,
  name: 'sqs-steps',
  weight: 4,
  rules: [visibilityAboveLease, stepsOnce, stepsTruthful, stepsInLease, stepsEnded],
  fit: (settings) => ({ ...settings, steps: true }),
};

/** The same on a FIFO queue. */
export const sqsFifoWorker: Surface = {
  ...sqsWorker,
  name: 'sqs-fifo',
  weight: 12,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS, ...FIFO_FAULTS],
  rules: [visibilityAboveLease, inOrder],
  fit: onFifo,
};

function startWorker(world: World, queue: Queue, { life, handleOnce, handle }: Process): Worker {
  const settings = world.ledger.settingsOf(life);
  const { concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs } = settings;
  const run = (_: unknown, attempt: SqsAttempt, transaction?: Transaction): Promise<unknown> =>
    handle(world.messageOf(attempt.message.MessageId ?? ''), attempt, transaction);
  const options = {
    client: sqsClientOf(world, queue, life),
    queueUrl: queueUrlOf(settings),
    handleOnce,
    ...{ concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs },
    onFailed: onFailedOf(settings),
    key: keyInBody,
    onEvent: queueEventTeller(world, life),
  };
  const worker = settings.inTransaction
    ? createSqsWorker({ ...options, inTransaction: true }, run)
    : createSqsWorker(options, (payload, attempt) => run(payload, attempt));
  void worker.start();
  return worker;
}
