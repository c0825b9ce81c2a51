import {
  type Consumer,
  deliverInTurn,
  type EventSink,
  handledFacts,
  type Kept,
  keptEvent,
  type Turn,
  type Verdict,
} from '../../src/adapter-kit.ts';
import { twice } from '../shared/sqs/in-time.ts';
import { type QueueDeliveryOf, visibleAfterMs } from '../shared/sqs/queue-delivery.ts';
import type { SqsKeptReason, SqsEvent } from './events.ts';
import type { HandledMessage } from './handled-message.ts';
import type { InHandMessage, SqsMessage } from './message.ts';
import { attempt, type EntryReply, type Queue } from './queue.ts';
import type { Hold } from './visibility.ts';
import { watched, type Watcher } from './watched.ts';

export interface Processor<R> {
  readonly consumer: Consumer;
  readonly deliveryOf: QueueDeliveryOf<SqsMessage, R>;
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
}

/** A message that is kept invisible. */
export interface InHand {
  readonly delivery: InHandMessage;
  readonly hold: Hold;
}

/** A message in hand, and what its caller has to do with it while it is handled. */
export interface Task extends InHand, Watcher {
  readonly signal?: AbortSignal | undefined;
  /** Of a message that stands in a lane. */
  readonly turn?: Turn | undefined;
  /** Called when it is known whether the message is acknowledged, before the queue is told. */
  readonly onAnswered?: (acknowledged: boolean) => void;
}

/** Handles one message in hand, then does at the queue what its outcome asks for. It never throws. */
export async function processDelivery<R>(processor: Processor<R>, task: Task): Promise<HandledMessage<R>> {
  const { delivery, hold, signal } = task;
  const { message, messageId } = delivery;
  if (!hold.isOurs()) {
    await hold.release();
    task.onAnswered?.(false);
    return kept(processor, messageId, { key: '', reason: 'lapsed' });
  }
  const given = processor.deliveryOf(message, () => hold.isOurs());
  const delivered = await deliverInTurn(
    processor.consumer,
    {
      ...given,
      handler: watched(given.handler, task),
      signal,
      emit(event) {
        processor.events.emit({ ...event, messageId });
      },
    },
    task.turn,
  );
  if (delivered === 'not-started') {
    task.onAnswered?.(false);
    await returnToQueue(processor, task);
    return { action: 'kept', reason: 'released', visibleAfterSeconds: 0 };
  }
  task.onAnswered?.(delivered.acknowledge);
  await hold.release();
  return { ...handledFacts(delivered), ...(await tellQueue(processor, task, delivered)) };
}

/** Makes a message that has not been started visible. It never throws. */
export async function returnToQueue(
  { queue, events }: Pick<Processor<unknown>, 'queue' | 'events'>,
  { delivery, hold }: InHand,
): Promise<void> {
  const { messageId } = delivery;
  await hold.release();
  if (!hold.isOurs()) return;
  const reply = await attempt(queue.changeVisibility(hold.receiptHandle(), 0));
  if (reply.done) events.emit({ type: 'returned', messageId });
  else events.emit({ type: 'queue-error', verb: 'change-visibility', messageId, error: reply.error });
}

type Told = Pick<HandledMessage<unknown>, 'action' | 'reason' | 'visibleAfterSeconds' | 'error'>;

async function tellQueue(
  processor: Processor<unknown>,
  { delivery, hold }: Task,
  verdict: Verdict,
): Promise<Told> {
  const { queue, events } = processor;
  const { messageId } = delivery;
  const receiptHandle = hold.receiptHandle();

  function refused(verb: 'delete' | 'change-visibility', error: unknown): Told {
    events.emit({ type: 'queue-error', verb, messageId, error });
    return { ...kept(processor, messageId, { ...verdict, reason: 'queue-error' }), error };
  }

  if (!hold.isOurs()) return kept(processor, messageId, { ...verdict, reason: 'lapsed' });
  if (verdict.acknowledge) {
    const remove = (): Promise<EntryReply> => queue.delete(receiptHandle, hold.withinMs);
    const reply = await attempt(twice(remove, () => hold.isOurs()));
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

/** Emits that a message stays in the queue. */
export function kept(
  { events }: Pick<Processor<unknown>, 'events'>,
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
