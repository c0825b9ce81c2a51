import { createSqsWorker, type SqsEvent, type SqsWorker } from '../../adapters/sqs/index.ts';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import type { HandleOnceEvent } from '../../src/api/events.ts';
import { createHost } from '../../src/engine/host.ts';
import { SCOPE } from '../models/database.ts';
import { DEAD_LETTER_URL, QUEUE_URL, sqsClientOf } from '../models/sqs-client.ts';
import type { Settings } from '../plan/settings.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { createHandler, MAX_RESULT_BYTES } from './handler.ts';

/** Starts the SQS worker of the package in a process, as a user would. */
export function startWorker(world: World, life: Life, onHang: () => void): SqsWorker {
  const { settings } = world.plan;
  const { leaseMs, maxAttempts, maxDeaths, backoffMs, retentionMs, timeoutMs, batching } = settings;
  const handleOnce = createHandleOnceIn(createHost(life.clock, life.workerId), {
    store: world.database.clientOf(life),
    scope: SCOPE,
    ...{ leaseMs, maxAttempts, maxDeaths, timeoutMs, batching },
    maxResultBytes: MAX_RESULT_BYTES,
    succeededRetentionMs: retentionMs,
    failedRetentionMs: retentionMs,
    backoff: (failures) => failures * backoffMs,
    onEvent: (event) => {
      tellEvent(world, life, nameOf(event), event.key, textOf(event));
    },
  });
  const { concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs } = settings;
  const worker = createSqsWorker(
    {
      client: sqsClientOf(world, life),
      queueUrl: QUEUE_URL,
      handleOnce,
      ...{ concurrency, visibilityTimeoutSeconds, waitTimeSeconds, drainMs },
      onFailed: onFailedOf(settings),
      key: ({ Body = '' }) => (JSON.parse(Body) as { readonly key?: string }).key,
      onEvent: (event) => {
        tellQueueEvent(world, life, event);
      },
    },
    createHandler(world, life, onHang),
  );
  void worker.start();
  return worker;
}

function onFailedOf({ onFailed }: Settings) {
  return onFailed === 'dead-letter' ? { deadLetterQueueUrl: DEAD_LETTER_URL } : onFailed;
}

/** Not every event is an outcome: some only say how long a caller has waited. */
function nameOf(event: HandleOnceEvent): string {
  return event.type === 'released' && event.interrupted === true ? 'interrupted' : event.type;
}

function textOf(event: HandleOnceEvent): string {
  if (event.type === 'failed') return event.reason;
  if (event.type === 'released') return `again in ${Math.round(event.retryAfterMs)} ms`;
  return event.type === 'store-error' ? `${event.verb}: ${event.error.message}` : '';
}

function tellQueueEvent(world: World, life: Life, event: SqsEvent): void {
  // What it replayed is told by the engine too.
  if (event.type === 'warning' || event.type === 'replayed') return;
  const detail = event.type === 'kept' ? event.reason : event.type === 'queue-error' ? event.verb : '';
  tellEvent(world, life, event.type, event.messageId ?? '', detail);
}

function tellEvent(world: World, life: Life, name: string, of: string, detail: string): void {
  world.tell({ type: 'event', life, name, of, detail });
}
