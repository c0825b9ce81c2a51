import {
  type Consumer,
  deliver,
  type EventSink,
  handledFacts,
  type Kept,
  keptEvent,
  type Verdict,
} from '../../src/adapter-kit.ts';
import { type QueueDeliveryOf, visibleAfterMs } from '../shared/sqs/queue-delivery.ts';
import type { SqsKeptReason, SqsEvent } from './events.ts';
import type { HandledMessage } from './handled-message.ts';
import type { InHandMessage, SqsMessage } from './message.ts';
import { attempt, type Queue } from './queue.ts';
import type { Hold } from './visibility.ts';
import { watched, type Watcher } from './watched.ts';

export interface Processor<R> {
  readonly consumer: Consumer;
  readonly deliveryOf: QueueDeliveryOf<SqsMessage, R>;
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
}

/** A message in hand, and what its caller has to do with it while it is handled. */
export interface Task extends Watcher {
  readonly delivery: InHandMessage;
  readonly hold: Hold;
  readonly signal?: AbortSignal | undefined;
  /** Called when it is known what becomes of the message, before the queue is told. */
  readonly onAnswered?: () => void;
}

/** Handles one message in hand, then does at the queue what its outcome asks for. It never throws. */
export async function processDelivery<R>(processor: Processor<R>, task: Task): Promise<HandledMessage<R>> {
  const { delivery, hold, signal } = task;
  const { message, messageId } = delivery;
  if (!hold.isOurs()) {
    await hold.release();
    return kept(processor, messageId, { key: '', reason: 'lapsed' });
  }
  const given = processor.deliveryOf(message, () => hold.isOurs());
  const delivered = await deliver(processor.consumer, {
    ...given,
    handler: watched(given.handler, task),
    signal,
    emit(event) {
      processor.events.emit({ ...event, messageId });
    },
  });
  task.onAnswered?.();
  await hold.release();
  return { ...handledFacts(delivered), ...(await tellQueue(processor, task, delivered)) };
}

type Told = Pick<HandledMessage<unknown>, 'action' | 'reason' | 'visibleAfterSeconds' | 'error'>;

async function tellQueue(
  processor: Processor<unknown>,
  { delivery, hold }: Task,
  verdict: Verdict,
): Promise<Told> {
  const { queue, events } = processor;
  const { messageId, receiptHandle } = delivery;

  function refused(verb: 'delete' | 'change-visibility', error: unknown): Told {
    events.emit({ type: 'queue-error', verb, messageId, error });
    return { ...kept(processor, messageId, { ...verdict, reason: 'queue-error' }), error };
  }

  if (!hold.isOurs()) return kept(processor, messageId, { ...verdict, reason: 'lapsed' });
  if (verdict.acknowledge) {
    const reply = await attempt(queue.delete(receiptHandle));
    if (!reply.done) return refused('delete', reply.error);
    events.emit({ type: 'acknowledged', messageId, key: verdict.key });
    return { action: verdict.deadLettered ? 'dead-lettered' : 'acknowledged' };
  }
  const afterMs = visibleAfterMs(verdict);
  if (afterMs === undefined) return kept(processor, messageId, verdict);
  const seconds = hold.boundedSeconds(afterMs);
  const reply = await attempt(queue.changeVisibility(receiptHandle, seconds));
  return reply.done
    ? kept(processor, messageId, verdict, seconds)
    : refused('change-visibility', reply.error);
}

function kept(
  { events }: Processor<unknown>,
  messageId: string,
  why: Pick<Kept<SqsKeptReason>, 'key' | 'reason' | 'error'>,
  visibleAfterSeconds?: number,
): Told {
  events.emit({ ...keptEvent(why), messageId, visibleAfterSeconds });
  return {
    action: 'kept',
    reason: why.reason,
    ...(visibleAfterSeconds === undefined ? {} : { visibleAfterSeconds }),
  };
}
