import { type EventSink, warn } from '../../../src/adapter-kit.ts';
import { checkQueue, ofQueue, type QueueCheck, readFacts } from '../../shared/sqs/queue-check.ts';
import type { SqsConsumerEvent } from './events.ts';

/**
 * Reads the queue's settings with the first messages, and says whether messages may be handled.
 *
 * Only a FIFO queue without `onFailed` waits for the answer. Where it has no redrive policy either, nothing is handled,
 * and the next messages look again. It never throws.
 */
export type MayHandle = () => Promise<boolean>;

export function createQueueCheck(
  options: Omit<QueueCheck, 'read' | 'events'>,
  events: EventSink<SqsConsumerEvent>,
): MayHandle {
  const { queue, onFailed } = options;
  const mayRefuse = queue.isFifo && onFailed === undefined;
  let checking: Promise<string | undefined> | undefined;
  let refusedBefore = false;

  async function check(): Promise<string | undefined> {
    return await checkQueue({ ...options, events, read: await readFacts(queue) });
  }

  return async () => {
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
