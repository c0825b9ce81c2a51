import { createSqsWorker, type SqsAttempt } from '../../../adapters/sqs/index.ts';
import { handleBatch } from '../actors/batch-handler.ts';
import type { Process } from '../actors/process.ts';
import type { Surface, Worker } from '../actors/surface.ts';
import { FIFO_FAULTS, POOL_FAULTS, TRANSACTION_FAULTS } from '../facts/names.ts';
import type { Queue } from '../models/queue.ts';
import type { Transaction } from '../models/transactions.ts';
import { keyInBody, onFailedOf, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { forBatches, onFifo } from '../plan/settings.ts';
import { apart } from '../rules/apart.ts';
import { atomic } from '../rules/atomic.ts';
import { inOrder } from '../rules/in-order.ts';
import { triedAlone } from '../rules/tried-alone.ts';
import { visibilityAboveLease } from '../rules/visibility-above-lease.ts';
import type { World } from '../world/world.ts';
import { queueEventTeller } from './queue-events.ts';
import { openQueue } from './queue-scene.ts';
import { sqsWorker } from './sqs-worker.ts';

const SIZE = 5;
const WAIT_MS = 50;

/** The SQS worker with a handler of many messages in one transaction, on either kind of queue. */
export const sqsBatch: Surface = {
  ...sqsWorker,
  name: 'sqs-batch',
  weight: 14,
  faults: [...sqsWorker.faults, ...FIFO_FAULTS, ...TRANSACTION_FAULTS, ...POOL_FAULTS],
  outcomes: [...sqsWorker.outcomes, 'batch-undone'],
  rules: [visibilityAboveLease, atomic, inOrder, triedAlone, apart],
  fit(settings, random) {
    const own = { ...forBatches(settings), inTransaction: true, connections: random.whole(3, 6) };
    return random.chance(0.4) ? onFifo(own) : own;
  },
  fitBeside: forBatches,
  open: (world, database) => openQueue(world, database, startWorker),
};

/** The same without transactions, on a standard queue: there a lane has no order where one of a batch is marked. */
export const sqsBatchMarked: Surface = {
  ...sqsWorker,
  name: 'sqs-marked',
  weight: 5,
  rules: [visibilityAboveLease, triedAlone, apart],
  fit: forBatches,
  fitBeside: forBatches,
  open: (world, database) => openQueue(world, database, startWorker),
};

function startWorker(world: World, queue: Queue, { life, handleOnce, handle }: Process): Worker {
  const settings = world.ledger.settingsOf(life);
  const { concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs } = settings;
  const run = (attempts: readonly SqsAttempt[], transaction?: Transaction) =>
    handleBatch(
      handle,
      attempts.map(({ message }) => world.messageOf(message.MessageId ?? '')),
      attempts,
      transaction,
    );
  const options = {
    client: sqsClientOf(world, queue, life),
    queueUrl: queueUrlOf(settings),
    handleOnce,
    ...{ concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs },
    batch: { size: SIZE, waitMs: WAIT_MS },
    onFailed: onFailedOf(settings),
    key: keyInBody,
    onEvent: queueEventTeller(world, life),
  };
  const worker = settings.inTransaction
    ? createSqsWorker({ ...options, inTransaction: true }, (_, attempts, tx) => run(attempts, tx))
    : createSqsWorker(options, (_, attempts) => run(attempts));
  void worker.start();
  return worker;
}
