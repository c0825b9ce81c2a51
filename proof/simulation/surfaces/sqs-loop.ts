import { onceEachSqsMessage } from '../../../adapters/sqs/index.ts';
import type { Process } from '../actors/process.ts';
import { ReceiveLoop } from '../actors/receive-loop.ts';
import { OWN_KEYS, type Surface, type Worker } from '../actors/surface.ts';
import { BROKER_FAULTS, FIFO_FAULTS, QUEUE_OUTCOMES, SQS_FAULTS, STANDARD_FAULTS } from '../facts/names.ts';
import { boundedClient } from '../models/bounded-client.ts';
import type { Queue } from '../models/queue.ts';
import { keyInBody, onFailedOf, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { onFifo } from '../plan/settings.ts';
import { inOrder } from '../rules/in-order.ts';
import type { World } from '../world/world.ts';
import { queueEventTeller } from './queue-events.ts';
import { openQueue } from './queue-scene.ts';
import { receiveMessages } from './receive-messages.ts';

/** `onceEachSqsMessage` in a loop of the user's, on either kind of queue. */
export const sqsLoop: Surface = {
  name: 'sqs-loop',
  weight: 9,
  identity: OWN_KEYS,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS, ...STANDARD_FAULTS, ...FIFO_FAULTS],
  outcomes: [...QUEUE_OUTCOMES, 'visibility-extended', 'visibility-lost'],
  lacks: [],
  rules: [inOrder],
  fit: (settings, random) => (random.chance(0.4) ? onFifo(settings) : settings),
  open: (world, database) => openQueue(world, database, startLoop),
};

function startLoop(world: World, queue: Queue, { life, handleOnce, handle }: Process): Worker {
  const settings = world.ledger.settingsOf(life);
  const { visibilityTimeoutSeconds, drainMs, isFifo } = settings;
  const client = boundedClient(sqsClientOf(world, queue, life), life.clock);
  const queueUrl = queueUrlOf(settings);
  const onceEach = onceEachSqsMessage(
    {
      ...{ client, queueUrl, visibilityTimeoutSeconds },
      handleOnce,
      onFailed: onFailedOf(settings),
      key: keyInBody,
      onEvent: queueEventTeller(world, life),
    },
    (_, attempt) => handle(world.messageOf(attempt.message.MessageId ?? ''), attempt),
  );
  return new ReceiveLoop(
    {
      drainMs,
      async handle(message, options) {
        const handled = await onceEach(message, options);
        world.tellOutcome(life, world.messageOf(message.MessageId ?? ''), handled.outcome);
        return handled;
      },
      groupOf: ({ Attributes }) => (isFifo ? Attributes?.MessageGroupId : undefined),
      receive: (abortSignal) => receiveMessages(client, settings, abortSignal),
    },
    life.clock,
  );
}
