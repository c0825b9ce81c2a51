import { createSqsWorker, type SqsEvent } from '../../adapters/sqs/index.ts';
import { createLifesHandleOnce } from '../actors/handle-once.ts';
import { createHandler } from '../actors/handler.ts';
import { Queue } from '../models/queue.ts';
import { DEAD_LETTER_URL, keyInBody, QUEUE_URL, sqsClientOf } from '../models/sqs-client.ts';
import type { Settings } from '../plan/settings.ts';
import { BROKER_FAULTS, QUEUE_OUTCOMES, SQS_FAULTS } from '../report/names.ts';
import { visibilityAboveLease } from '../rules/visibility-above-lease.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { hasEndedAtQueue } from './ended-at-queue.ts';
import type { Surface, Worker } from './surface.ts';

/** The SQS worker of the package, on a standard queue. */
export const sqsWorker: Surface = {
  name: 'sqs-worker',
  weight: 30,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS],
  outcomes: [...QUEUE_OUTCOMES, 'received', 'returned', 'visibility-extended', 'visibility-lost'],
  lacks: [],
  rules: [visibilityAboveLease],
  fit: (settings) => settings,
  open(world) {
    const queue = new Queue(world);
    return {
      send: (message) => {
        queue.send(message);
      },
      start: (life, onHang) => startWorker(world, queue, life, onHang),
      hasEnded: (message) => hasEndedAtQueue(world, queue, message),
    };
  },
};

function startWorker(world: World, queue: Queue, life: Life, onHang: () => void): Worker {
  const { settings } = world.plan;
  const { concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs } = settings;
  const handle = createHandler(world, life, onHang);
  const worker = createSqsWorker(
    {
      client: sqsClientOf(world, queue, life),
      queueUrl: QUEUE_URL,
      handleOnce: createLifesHandleOnce(world, life),
      ...{ concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs },
      onFailed: onFailedOf(settings),
      key: keyInBody,
      onEvent: (event) => {
        tellQueueEvent(world, life, event);
      },
    },
    (_, attempt) => handle(world.messageOf(attempt.message.MessageId ?? ''), attempt),
  );
  void worker.start();
  return worker;
}

function onFailedOf({ onFailed }: Settings) {
  return onFailed === 'dead-letter' ? { deadLetterQueueUrl: DEAD_LETTER_URL } : onFailed;
}

function tellQueueEvent(world: World, life: Life, event: SqsEvent): void {
  // What it replayed is told by the engine too.
  if (event.type === 'warning' || event.type === 'replayed') return;
  const detail = event.type === 'kept' ? event.reason : event.type === 'queue-error' ? event.verb : '';
  world.tell({ type: 'event', life, name: event.type, of: event.messageId ?? '', detail });
}
