import {
  type Clock,
  type EventSink,
  type Hold,
  type Kept,
  verdictEvent,
  type Verdict,
} from '../../../src/adapter-kit.ts';
import { attempt, type Queue } from '../../shared/sqs/queue.ts';
import { type QueueDelivery, visibleAfterMs } from '../../shared/sqs/queue-delivery.ts';
import { boundedVisibility } from '../../shared/sqs/visibility-limits.ts';
import type { SqsConsumerKeptReason, SqsConsumerEvent } from './events.ts';
import type { Turn } from '../../shared/deliver-in-turn.ts';
import type { SqsMessage } from '../message.ts';

export interface Processor {
  readonly delivery: QueueDelivery<SqsMessage, unknown>;
  readonly signal: (() => AbortSignal) | undefined;
  readonly queue: Queue;
  readonly events: EventSink<SqsConsumerEvent>;
  readonly clock: Clock;
}

/** Messages that came together, which sqs-consumer keeps invisible. */
export interface Receive {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly hold: Hold;
}

/** A message that stays in the queue. */
interface KeptMessage extends Kept<SqsConsumerKeptReason> {
  /** When it is to be visible, in monotonic milliseconds; undefined where its visibility timeout is to run out. */
  readonly visibleAt?: number;
}

/** What is to become of a message. */
export type Processed = Extract<Verdict, { readonly acknowledge: true }> | KeptMessage;

/** Of a message that was not started, since the queue has nowhere to put a failed one. */
export const REFUSED: KeptMessage = { acknowledge: false, key: '', reason: 'no-redrive-policy' };

/** Of a message that was not started, since an earlier one of its group was kept: visible at once. */
export function behind(clock: Clock): KeptMessage {
  return { acknowledge: false, key: '', reason: 'behind', visibleAt: clock.monotonic() };
}

/** Handles one message, and dead-letters it where its outcome asks for that. It never throws. */
export async function processMessage(
  { delivery, signal, clock }: Processor,
  message: SqsMessage,
  { hold }: Receive,
  turn?: Turn,
): Promise<Processed> {
  if (!hold.isOurs()) return { acknowledge: false, key: '', reason: 'lapsed' };
  const verdict = await delivery.deliver(message, { hold, signal: signal?.(), turn });
  if (verdict === 'not-started') return behind(clock);
  if (verdict.acknowledge) return verdict;
  const afterMs = visibleAfterMs(verdict);
  return { ...verdict, ...(afterMs === undefined ? {} : { visibleAt: clock.monotonic() + afterMs }) };
}

/** Applies a verdict, and emits its event. True: sqs-consumer is to delete the message. It never throws. */
export async function conclude(
  processor: Processor,
  message: SqsMessage,
  receive: Receive,
  processed: Processed,
): Promise<boolean> {
  const { events } = processor;
  const messageId = message.MessageId ?? '';
  if (!receive.hold.isOurs()) {
    const lapsed = verdictEvent({ ...processed, reason: 'lapsed' });
    events.emit({ ...lapsed, messageId, visibleAfterSeconds: undefined });
    return false;
  }
  if (processed.acknowledge) {
    events.emit({ type: 'acknowledged', messageId, key: processed.key });
    return true;
  }
  const visibleAfterSeconds = await makeVisible(processor, message, receive, processed);
  events.emit({ ...verdictEvent(processed), messageId, visibleAfterSeconds });
  return false;
}

/** In how many seconds a message that stays is visible. Undefined where its visibility timeout runs out. */
async function makeVisible(
  { queue, events, clock }: Processor,
  { MessageId: messageId = '', ReceiptHandle = '' }: SqsMessage,
  receive: Receive,
  { key, visibleAt }: KeptMessage,
): Promise<number | undefined> {
  if (visibleAt === undefined) return undefined;
  const seconds = boundedVisibility(clock, receive.at, visibleAt - clock.monotonic());
  // A heartbeat under way can land after it: then the message comes one visibility timeout later.
  const reply = await attempt(queue.changeVisibility(ReceiptHandle, seconds));
  if (reply.done) return seconds;
  const { error } = reply;
  events.emit({ type: 'queue-error', queue: queue.name, verb: 'change-visibility', messageId, key, error });
  return undefined;
}
