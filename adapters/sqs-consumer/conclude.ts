import { keptEvent } from '../../src/adapter-kit.ts';
import { boundedVisibility } from '../shared/sqs/queue-settings.ts';
import type { Hold } from './hold.ts';
import type { SqsMessage } from './message.ts';
import type { KeptMessage, Processed, Processor } from './process-message.ts';

/** Of a message that was not started, since the queue has nowhere to put a failed one. */
export const REFUSED: KeptMessage = { acknowledge: false, key: '', reason: 'no-redrive-policy' };

/** Does what is to become of a message, and tells it. True: sqs-consumer is to delete the message. It never throws. */
export async function conclude(
  processor: Processor,
  message: SqsMessage,
  hold: Hold,
  processed: Processed,
): Promise<boolean> {
  const { events } = processor;
  const messageId = message.MessageId ?? '';
  if (!hold.isOurs()) {
    const lapsed = keptEvent({ ...processed, reason: 'lapsed' });
    events.emit({ ...lapsed, messageId, visibleAfterSeconds: undefined });
    return false;
  }
  if (processed.acknowledge) {
    events.emit({ type: 'acknowledged', messageId, key: processed.key });
    return true;
  }
  const visibleAfterSeconds = await makeVisible(processor, message, hold, processed);
  events.emit({ ...keptEvent(processed), messageId, visibleAfterSeconds });
  return false;
}

/** In how many seconds a message that stays is visible. Undefined where its visibility timeout runs out. */
async function makeVisible(
  { queue, events, clock }: Processor,
  message: SqsMessage,
  { receivedAt }: Hold,
  { key, visibleAt }: KeptMessage,
): Promise<number | undefined> {
  if (visibleAt === undefined) return undefined;
  const seconds = boundedVisibility(clock, receivedAt, visibleAt - clock.monotonic());
  try {
    // A heartbeat under way can land after it: then the message comes one visibility timeout later.
    await queue.changeVisibility(message.ReceiptHandle, seconds);
    return seconds;
  } catch (error) {
    const messageId = message.MessageId ?? '';
    events.emit({ type: 'queue-error', verb: 'change-visibility', messageId, key, error });
    return undefined;
  }
}
