import { keptEvent } from '../../src/adapter-kit.ts';
import { boundedVisibility } from '../shared/sqs/queue-settings.ts';
import type { SqsMessage } from './message.ts';
import type { KeptMessage, Processor } from './process-message.ts';

/** Of a message that was not started, since an earlier one of its group was kept: visible at once. */
export function behind(receivedAt: number): KeptMessage {
  return { acknowledge: false, key: '', reason: 'behind', receivedAt, visibleAt: receivedAt };
}

/** Of a message that was not started, since the queue has nowhere to put a failed one. */
export function refused(receivedAt: number): KeptMessage {
  return { acknowledge: false, key: '', reason: 'no-redrive-policy', receivedAt };
}

/** Makes a message that stays visible when it is time, and tells that it stays. It never throws. */
export async function keep(processor: Processor, message: SqsMessage, kept: KeptMessage): Promise<void> {
  const { receivedAt, visibleAt } = kept;
  const messageId = message.MessageId ?? '';
  const { queue, events } = processor;
  let visibleAfterSeconds: number | undefined;
  if (visibleAt !== undefined) {
    const seconds = boundedVisibility(receivedAt, visibleAt - performance.now());
    try {
      // A heartbeat under way can land after it: then the message comes one visibility timeout later.
      await queue.changeVisibility(message.ReceiptHandle, seconds);
      visibleAfterSeconds = seconds;
    } catch (error) {
      events.emit({ type: 'queue-error', verb: 'change-visibility', messageId, key: kept.key, error });
    }
  }
  events.emit({ ...keptEvent(kept), messageId, visibleAfterSeconds });
}
