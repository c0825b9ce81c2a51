import {
  dispositionOf,
  type EventSink,
  failureFacts,
  type Handled,
  handleDelivery,
  leftReason,
  type OnFailed,
  type QueueAttempt,
  type QueueCall,
  replayedState,
  sendDeadLetter,
} from '../../src/adapter-kit.ts';
import type { LeftReason, SqsConsumerEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { Queue } from './queue.ts';

export interface Processor {
  readonly call: QueueCall;
  readonly scope: string;
  readonly key: (message: SqsMessage) => string | undefined;
  readonly handler: (payload: never, attempt: QueueAttempt<SqsMessage>, ...extra: never[]) => unknown;
  readonly onFailed: OnFailed | undefined;
  readonly signal: (() => AbortSignal) | undefined;
  /** Called with the attributes that a dead letter was sent without. */
  readonly warnDropped: (attributes: readonly string[]) => void;
  readonly queue: Queue;
  readonly events: EventSink<SqsConsumerEvent>;
}

/** A message that stays in the queue. Times are monotonic milliseconds. */
export interface Left {
  readonly settled: false;
  readonly key: string;
  readonly reason: LeftReason;
  readonly receivedAt: number;
  /** When it is to be visible; undefined where its visibility timeout is to run out. */
  readonly visibleAt?: number;
  readonly error?: unknown;
}

/** Whether sqs-consumer is to delete a message. */
export type Verdict = { readonly settled: true } | Left;

/** Handles one message, and dead-letters it where its outcome asks for that. It never throws. */
export async function processMessage(processor: Processor, message: SqsMessage): Promise<Verdict> {
  const receivedAt = performance.now();
  const { key, handled } = await handle(processor, message);
  const { events, onFailed } = processor;
  const messageId = message.MessageId ?? '';
  const state = replayedState(handled);
  if (state !== undefined) events.emit({ type: 'replayed', messageId, key, state });
  const disposition = dispositionOf(handled, onFailed);
  if (disposition.action === 'leave') {
    const { visibleAfterMs } = disposition;
    const visible = visibleAfterMs === undefined ? {} : { visibleAt: performance.now() + visibleAfterMs };
    const error = 'thrown' in handled ? { error: handled.thrown } : {};
    return { settled: false, key, reason: leftReason(handled), receivedAt, ...visible, ...error };
  }
  if (disposition.action === 'dead-letter') {
    const { deadLetterQueueUrl } = disposition;
    const facts = { scope: processor.scope, key, ...failureFacts(handled) };
    let droppedAttributes: readonly string[];
    try {
      droppedAttributes = await sendDeadLetter(message, facts, deadLetterQueueUrl, (letter) =>
        processor.queue.send(letter),
      );
    } catch (error) {
      events.emit({ type: 'queue-error', verb: 'dead-letter', messageId, key, error });
      return { settled: false, key, reason: 'dead-letter-refused', receivedAt, error };
    }
    events.emit({ type: 'dead-lettered', messageId, key, deadLetterQueueUrl, droppedAttributes });
    processor.warnDropped(droppedAttributes);
  }
  events.emit({ type: 'settled', messageId, key });
  return { settled: true };
}

function handle(
  { key, call, handler, signal }: Processor,
  message: SqsMessage,
): Promise<{ readonly key: string; readonly handled: Handled<unknown> }> {
  return handleDelivery(
    () => key(message),
    (found) =>
      call(
        found,
        message,
        (payload, attempt, ...extra) =>
          handler(payload as never, { ...attempt, message }, ...(extra as never[])),
        signal?.(),
      ),
  );
}
