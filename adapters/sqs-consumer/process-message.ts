import {
  type Clock,
  type Consumer,
  deliverInTurn,
  type EventSink,
  type Kept,
  type Turn,
  type Verdict,
} from '../../src/adapter-kit.ts';
import { type QueueDeliveryOf, visibleAfterMs } from '../shared/sqs/queue-delivery.ts';
import type { SqsConsumerKeptReason, SqsConsumerEvent } from './events.ts';
import type { Hold } from './hold.ts';
import type { SqsMessage } from './message.ts';
import type { Queue } from './queue.ts';

export interface Processor {
  readonly consumer: Consumer;
  readonly deliveryOf: QueueDeliveryOf<SqsMessage, unknown>;
  readonly signal: (() => AbortSignal) | undefined;
  readonly queue: Queue;
  readonly events: EventSink<SqsConsumerEvent>;
  readonly clock: Clock;
}

/** A message that stays in the queue. */
export interface KeptMessage extends Kept<SqsConsumerKeptReason> {
  /** When it is to be visible, in monotonic milliseconds; undefined where its visibility timeout is to run out. */
  readonly visibleAt?: number;
}

/** What is to become of a message. */
export type Processed = Extract<Verdict, { readonly acknowledge: true }> | KeptMessage;

/** Of a message that was not started, since an earlier one of its group was kept: visible at once. */
export function behind(clock: Clock): KeptMessage {
  return { acknowledge: false, key: '', reason: 'behind', visibleAt: clock.monotonic() };
}

/** Handles one message, and dead-letters it where its outcome asks for that. It never throws. */
export async function processMessage(
  { consumer, deliveryOf, signal, events, clock }: Processor,
  message: SqsMessage,
  hold: Hold,
  turn?: Turn,
): Promise<Processed> {
  const messageId = message.MessageId ?? '';
  if (!hold.isOurs()) return { acknowledge: false, key: '', reason: 'lapsed' };
  const verdict = await deliverInTurn(
    consumer,
    {
      ...deliveryOf(message, () => hold.isOurs()),
      signal: signal?.(),
      emit(event) {
        events.emit({ ...event, messageId });
      },
    },
    turn,
  );
  if (verdict === 'not-started') return behind(clock);
  if (verdict.acknowledge) return verdict;
  const afterMs = visibleAfterMs(verdict);
  return { ...verdict, ...(afterMs === undefined ? {} : { visibleAt: clock.monotonic() + afterMs }) };
}
