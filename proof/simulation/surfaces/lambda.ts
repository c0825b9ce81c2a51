import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { onceEachSqsRecord, type SqsRecordEvent } from '../../../adapters/lambda/index.ts';
import type { Process } from '../actors/process.ts';
import { OWN_KEYS, type Surface, type Worker } from '../actors/surface.ts';
import {
  BROKER_FAULTS,
  FIFO_FAULTS,
  LAMBDA_FAULTS,
  LAMBDA_OUTCOMES,
  SQS_FAULTS,
  STANDARD_FAULTS,
} from '../facts/names.ts';
import { Environment } from '../models/lambda.ts';
import type { Queue } from '../models/queue.ts';
import { onFailedOf, sqsClientOf } from '../models/sqs-client.ts';
import { onFifo, type Settings } from '../plan/settings.ts';
import { inOrder } from '../rules/in-order.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import { openQueue } from './queue-scene.ts';

/** A function of AWS Lambda with an SQS event source, of either kind. */
export const lambda: Surface = {
  name: 'lambda',
  weight: 10,
  identity: OWN_KEYS,
  faults: [...BROKER_FAULTS, ...SQS_FAULTS, ...STANDARD_FAULTS, ...FIFO_FAULTS, ...LAMBDA_FAULTS],
  outcomes: LAMBDA_OUTCOMES,
  // The service deletes by itself, and no client of ours that refuses entries.
  // What is aborted has run out of the time of its invocation, and is told so.
  // Between invocations it is frozen.
  lacks: ['entry refused by the queue', 'kept: aborted', 'same key in another scope'],
  rules: [inOrder],
  // By the end of the time of an invocation.
  fit: (settings, random) => ({
    ...(random.chance(0.4) ? onFifo(settings) : settings),
    interrupts: true,
  }),
  open: (world, database) => openQueue(world, database, startEnvironment),
};

/** Of the function's timeout, what handlers are not started in. */
const MARGIN_MS = 500;

function startEnvironment(world: World, queue: Queue, { life, handleOnce, handle }: Process): Worker {
  const { plan, random } = world;
  const { settings } = plan;
  const timeoutMs = random.whole(2, 10) * 1_000;
  const call = onceEachSqsRecord(
    {
      handleOnce,
      concurrency: settings.concurrency,
      deadlineMarginMs: MARGIN_MS,
      onFailed: onFailedIn(world, queue, life, settings),
      key: ({ body }) => (JSON.parse(body) as { readonly key?: string }).key,
      onEvent: (event) => {
        tellRecordEvent(world, life, event);
      },
    },
    (_, attempt) => handle(world.messageOf(attempt.record.messageId), attempt),
  );
  return new Environment(
    world,
    queue,
    life,
    {
      timeoutMs,
      batchSize: 2 * settings.concurrency,
      // As AWS demands of the queue.
      visibilityMs: Math.max(timeoutMs, settings.queueVisibilitySeconds * 1_000),
      isSuspended: !plan.incidents.some(({ what }) => what === 'clock change') && random.chance(0.5),
    },
    call,
  );
}

function onFailedIn(world: World, queue: Queue, life: Life, settings: Settings) {
  const onFailed = onFailedOf(settings);
  if (typeof onFailed === 'string') return onFailed;
  const client = sqsClientOf(world, queue, life);
  return {
    ...onFailed,
    client: {
      sendMessage: (letter: ConstructorParameters<typeof SendMessageCommand>[0]) =>
        client.send(new SendMessageCommand(letter)),
    },
  };
}

function tellRecordEvent(world: World, life: Life, event: SqsRecordEvent): void {
  if (event.type === 'warning' || event.type === 'replayed') return;
  world.tell({ type: 'event', life, name: nameOf(event), of: event.itemIdentifier, detail: '' });
}

function nameOf(event: Exclude<SqsRecordEvent, { type: 'warning' }>): string {
  if (event.type !== 'kept') return event.type;
  return isOfLambda(event.reason) ? event.reason : `kept: ${event.reason}`;
}

/** A reason to keep a record that other surfaces have not. */
function isOfLambda(reason: string): boolean {
  return (LAMBDA_OUTCOMES as readonly string[]).includes(reason);
}
