import { type EventSink, isError, type Warning, warn } from '../../src/adapter-kit.ts';
import type { SqsOnFailed } from '../shared/sqs/queue-options.ts';
import { letterQueueWarning } from '../shared/sqs/letter-queue-check.ts';
import {
  fifoRedriveFault,
  noRedrivePolicy,
  redriveMovesGroup,
  unreadableQueue,
} from '../shared/sqs/queue-redrive.ts';
import { queueFacts, queueWarnings } from '../shared/sqs/queue-settings.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import type { SqsConsumerEvent, SqsConsumerWarning } from './events.ts';
import type { Queue } from './queue.ts';

export interface QueueCheckOptions {
  readonly queue: Queue;
  readonly settings: HandleOnceSettings;
  readonly events: EventSink<SqsConsumerEvent>;
  readonly visibilityTimeoutSeconds: number;
  /** As it was given. */
  readonly onFailed: SqsOnFailed | undefined;
}

/**
 * Reads the queue's settings with the first messages, and says whether messages may be handled.
 *
 * Only a FIFO queue without `onFailed` waits for the answer. Where it has no redrive policy either, nothing is handled,
 * and the next messages look again. It never throws.
 */
export type MayHandle = () => Promise<boolean>;

export function createQueueCheck(options: QueueCheckOptions): MayHandle {
  const { queue, onFailed, events } = options;
  const mayRefuse = queue.isFifo && onFailed === undefined;
  let checking: Promise<Refusal | undefined> | undefined;
  let refusedBefore = false;

  return async () => {
    checking ??= checkQueue(options);
    if (!mayRefuse) return true;
    const refusal = await checking;
    if (refusal === undefined) return true;
    checking = undefined;
    if (!refusedBefore) warn(refusal, events);
    refusedBefore = true;
    return false;
  };
}

/** Why no message may be handled. */
type Refusal = Warning<SqsConsumerWarning>;

async function checkQueue(options: QueueCheckOptions): Promise<Refusal | undefined> {
  const { queue, settings, events, visibilityTimeoutSeconds, onFailed } = options;
  try {
    const facts = queueFacts(await queue.attributes());
    if (onFailed === undefined && facts.maxReceiveCount === undefined) {
      if (queue.isFifo) return refusal(fifoRedriveFault(facts));
      warn(noRedrivePolicy(facts, visibilityTimeoutSeconds), events);
    }
    warn(redriveMovesGroup(queue.isFifo, onFailed, facts), events);
    for (const warning of queueWarnings(facts, settings)) warn(warning, events);
    warn(await letterQueueWarning(onFailed, facts, (url) => queue.attributes(url)), events);
  } catch (error) {
    const name = isError(error) ? error.name : 'unknown error';
    warn(unreadableQueue(name, queue.isFifo && onFailed === undefined), events);
  }
  return undefined;
}

function refusal(fault: string): Refusal {
  return {
    warning: 'NO_REDRIVE_POLICY',
    message: `no message is handled: onFailed ${fault}`,
  };
}
