import {
  onceEachConsumerBatch,
  onceEachConsumerMessage,
  type SqsConsumerAttempt,
} from '../../../adapters/sqs/index.ts';
import type { Process } from '../actors/process.ts';
import { OWN_KEYS, type Surface, type Worker } from '../actors/surface.ts';
import { BROKER_FAULTS, FIFO_FAULTS, QUEUE_OUTCOMES, SQS_FAULTS, STANDARD_FAULTS } from '../facts/names.ts';
import { boundedClient } from '../models/bounded-client.ts';
import type { Queue } from '../models/queue.ts';
import { keyInBody, onFailedOf, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { ConsumerModel } from '../models/sqs-consumer.ts';
import { onFifo } from '../plan/settings.ts';
import { inOrder } from '../rules/in-order.ts';
import { visibilityAboveLease } from '../rules/visibility-above-lease.ts';
import type { World } from '../world/world.ts';
import { queueEventTeller } from './queue-events.ts';
import { openQueue } from './queue-scene.ts';

/** Both wrappers for sqs-consumer, behind a model of its `Consumer`. */
export const sqsConsumer: Surface = {
  name: 'sqs-consumer',
  weight: 9,
  identity: OWN_KEYS,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS, ...STANDARD_FAULTS, ...FIFO_FAULTS],
  outcomes: QUEUE_OUTCOMES,
  lacks: [],
  rules: [visibilityAboveLease, inOrder],
  fit: (settings, random) => (random.chance(0.4) ? onFifo(settings) : settings),
  open: (world, database) => openQueue(world, database, startConsumer),
};

function startConsumer(world: World, queue: Queue, { life, handleOnce, handle }: Process): Worker {
  const settings = world.ledger.settingsOf(life);
  const { visibilityTimeoutSeconds, waitTimeSeconds, drainMs, isFifo, concurrency } = settings;
  const isBatch = isFifo || settings.batching;
  const options = {
    handleOnce,
    onFailed: onFailedOf(settings),
    key: keyInBody,
    signal: (): AbortSignal => consumer.abortController.signal,
    onEvent: queueEventTeller(world, life),
    consumerOptions: {
      queueUrl: queueUrlOf(settings),
      sqs: boundedClient(sqsClientOf(world, queue, life), life.clock),
      batchSize: 2 * concurrency,
      waitTimeSeconds,
      pollingWaitTimeMs: 100,
      visibilityTimeout: visibilityTimeoutSeconds,
    },
  };
  const run = (_: unknown, attempt: SqsConsumerAttempt): Promise<unknown> =>
    handle(world.messageOf(attempt.message.MessageId ?? ''), attempt);
  const consumerOptions = isBatch
    ? onceEachConsumerBatch(options, run)
    : onceEachConsumerMessage(options, run);
  const consumer: ConsumerModel = new ConsumerModel(consumerOptions, life.clock);
  consumer.start();
  return { stop: () => consumer.stop(drainMs) };
}
