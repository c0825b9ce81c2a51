import {
  type Clock,
  kernelOf,
  createAdapterEvents,
  type EventSink,
  clockOf,
  Hold,
  resolveOptions,
} from '../../../src/adapter-kit.ts';
import type { Batching } from '../batch-lanes.ts';
import { warn } from '../../shared/warn.ts';
import type { Counts } from '../../../src/index.ts';
import { createQueue } from '../../shared/sqs/queue.ts';
import { checkQueue, ofQueue, type QueueCheck, readFacts } from '../../shared/sqs/queue-check.ts';
import { createMessageDelivery } from '../../shared/sqs/queue-delivery.ts';
import { MAX_VISIBILITY_SECONDS, TRAVEL_MARGIN_MS } from '../../shared/sqs/visibility-limits.ts';
import { addedSettings, type AddedSettings, type ConsumerSettings } from './consumer-settings.ts';
import type { SqsConsumerEvent } from './events.ts';
import { sqsConsumerOptions } from './options.ts';
import type { Processor, Receive } from './process-message.ts';

export interface Once<Given> {
  readonly batching: Omit<Batching, 'waitMs'> | undefined;
  readonly mayHandle: () => Promise<boolean>;
  readonly processor: Processor;
  /** Of messages that have just come. */
  readonly receive: () => Receive;
  readonly consumerOptions: Given & AddedSettings;
  readonly counts: () => Counts<SqsConsumerEvent['type']>;
}

/** What the two wrappers share, for single messages and for batches. */
export function createOnce<Given extends ConsumerSettings>(
  subject: string,
  options: unknown,
  handler: unknown,
  ofBatch: boolean,
): Once<Given> {
  const resolved = resolveOptions(subject, sqsConsumerOptions(ofBatch), options, handler);
  const { handleOnce, onFailed, signal } = resolved;
  const given = resolved.consumerOptions as Given;
  const { settings } = handleOnce;
  const clock = clockOf(handleOnce);
  const events = createAdapterEvents(resolved);
  const queue = createQueue(given.sqs, given.queueUrl, clock);
  const added = addedSettings(given, settings.leaseMs);
  const kernel = kernelOf({ ...resolved, subject });
  const delivery = createMessageDelivery({ ...resolved, kernel }, given.queueUrl, queue, events);
  const visibilityTimeoutSeconds = added.visibilityTimeout;
  return {
    batching: resolved.batch && {
      ...resolved.batch,
      handler: resolved.handler as unknown as Batching['handler'],
    },
    mayHandle: createQueueCheck({ queue, settings, visibilityTimeoutSeconds, onFailed }, events),
    processor: { delivery, signal, queue, events, clock },
    receive: () => receivedNow(added, clock),
    consumerOptions: { ...given, ...added },
    counts: events.counts,
  };
}

/**
 * Follows sqs-consumer's heartbeat, which begins with the handler: a process that is suspended sends none, and one that
 * comes too late changes nothing. Whether the queue took it cannot be seen from here.
 */
function receivedNow({ visibilityTimeout, heartbeatInterval }: AddedSettings, clock: Clock): Receive {
  const at = clock.monotonic();
  const timeoutMs = visibilityTimeout * 1_000;
  const longest = at + MAX_VISIBILITY_SECONDS * 1_000;
  const hold = new Hold({
    clock,
    until: at + timeoutMs,
    marginMs: TRAVEL_MARGIN_MS,
    everyMs: heartbeatInterval * 1_000,
    extend() {
      const until = clock.monotonic() + timeoutMs;
      return Promise.resolve(until <= longest ? until : undefined);
    },
  });
  return { at, hold };
}

/**
 * Reads the queue's settings with the first messages, and says whether messages may be handled.
 *
 * Only a FIFO queue without `onFailed` waits for the answer. Where it has no redrive policy either, nothing is handled,
 * and the next messages look again. It never throws.
 */
function createQueueCheck(options: Omit<QueueCheck, 'read' | 'events'>, events: EventSink<SqsConsumerEvent>) {
  const { queue, onFailed } = options;
  const mayRefuse = queue.isFifo && onFailed === undefined;
  let checking: Promise<string | undefined> | undefined;
  let refusedBefore = false;

  async function check(): Promise<string | undefined> {
    return await checkQueue({ ...options, events, read: await readFacts(queue) });
  }

  return async (): Promise<boolean> => {
    checking ??= check();
    if (!mayRefuse) return true;
    const fault = await checking;
    if (fault === undefined) return true;
    checking = undefined;
    const message = `no message is handled: onFailed ${fault}`;
    if (!refusedBefore)
      warn(ofQueue<'NO_REDRIVE_POLICY'>(queue, { warning: 'NO_REDRIVE_POLICY', message }), events);
    refusedBefore = true;
    return false;
  };
}
