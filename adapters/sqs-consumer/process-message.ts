import { type Consumer, deliver, type EventSink, type Kept } from '../../src/adapter-kit.ts';
import { type QueueDeliveryOf, visibleAfterMs } from '../shared/sqs/queue-delivery.ts';
import type { SqsConsumerKeptReason, SqsConsumerEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { Queue } from './queue.ts';

export interface Processor {
  readonly consumer: Consumer;
  readonly deliveryOf: QueueDeliveryOf<SqsMessage, unknown>;
  readonly signal: (() => AbortSignal) | undefined;
  readonly queue: Queue;
  readonly events: EventSink<SqsConsumerEvent>;
}

/** A message that stays in the queue. Times are monotonic milliseconds. */
export interface KeptMessage extends Kept<SqsConsumerKeptReason> {
  readonly receivedAt: number;
  /** When it is to be visible; undefined where its visibility timeout is to run out. */
  readonly visibleAt?: number;
}

/** Whether sqs-consumer is to delete a message. */
export type Processed = { readonly acknowledge: true } | KeptMessage;

/** Handles one message, and dead-letters it where its outcome asks for that. It never throws. */
export async function processMessage(
  { consumer, deliveryOf, signal, events }: Processor,
  message: SqsMessage,
): Promise<Processed> {
  const receivedAt = performance.now();
  const messageId = message.MessageId ?? '';
  const verdict = await deliver(consumer, {
    ...deliveryOf(message),
    signal: signal?.(),
    emit(event) {
      events.emit({ ...event, messageId });
    },
  });
  if (verdict.acknowledge) {
    events.emit({ type: 'acknowledged', messageId, key: verdict.key });
    return verdict;
  }
  const afterMs = visibleAfterMs(verdict);
  return {
    ...verdict,
    receivedAt,
    ...(afterMs === undefined ? {} : { visibleAt: performance.now() + afterMs }),
  };
}
