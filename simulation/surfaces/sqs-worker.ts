import { createSqsWorker } from '../../adapters/sqs/index.ts';
import { createLifesHandleOnce } from '../actors/handle-once.ts';
import { createHandler } from '../actors/handler.ts';
import type { Queue } from '../models/queue.ts';
import { keyInBody, onFailedOf, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { onFifo } from '../plan/settings.ts';
import { BROKER_FAULTS, FIFO_FAULTS, QUEUE_OUTCOMES, STANDARD_FAULTS, SQS_FAULTS } from '../report/names.ts';
import { inOrder } from '../rules/in-order.ts';
import { visibilityAboveLease } from '../rules/visibility-above-lease.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { queueEventTeller } from './queue-events.ts';
import { openQueue } from './queue-scene.ts';
import { OWN_KEYS, type Surface, type Worker } from './surface.ts';

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
  open: (world) => openQueue(world, startWorker),
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

function startWorker(world: World, queue: Queue, life: Life, onHang: () => void): Worker {
  const { settings } = world.plan;
  const { concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs } = settings;
  const handle = createHandler(world, life, onHang);
  const worker = createSqsWorker(
    {
      client: sqsClientOf(world, queue, life),
      queueUrl: queueUrlOf(settings),
      handleOnce: createLifesHandleOnce(world, life),
      ...{ concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs },
      onFailed: onFailedOf(settings),
      key: keyInBody,
      onEvent: queueEventTeller(world, life),
    },
    (_, attempt) => handle(world.messageOf(attempt.message.MessageId ?? ''), attempt),
  );
  void worker.start();
  return worker;
}
