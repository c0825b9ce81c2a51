import {
  type EventSink,
  type Handled,
  type Kept,
  type Verdict,
  handledFacts,
  verdictEvent,
} from '../../src/adapter-kit.ts';
import type { Outcome } from '../../src/index.ts';
import { twice } from '../shared/sqs/in-time.ts';
import { attempt, type EntryReply, type Queue } from '../shared/sqs/queue.ts';
import { type DeliveryContext, type QueueDelivery, visibleAfterMs } from '../shared/sqs/queue-delivery.ts';
import type { SqsKeptReason, SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { HeldMessage } from './visibility.ts';

/** What was done with a message, and why. */
export interface HandledMessage<R> {
  /** The message is deleted, or copied to the dead-letter queue and then deleted, or still in the queue. */
  readonly action: 'acknowledged' | 'dead-lettered' | 'kept';
  /** Why it is kept. */
  readonly reason?: SqsKeptReason;
  /** When a kept message becomes visible again, in seconds; undefined if its visibility was not changed. */
  readonly visibleAfterSeconds?: number;
  /** What `handleOnce` returned; undefined when it threw. */
  readonly outcome?: Outcome<R>;
  /** What `handleOnce` or the queue threw. */
  readonly error?: unknown;
}

export interface Processor<R> {
  readonly delivery: QueueDelivery<SqsMessage, R>;
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
}

/** What is done with a message besides handling it. */
export interface Task extends Omit<DeliveryContext, 'hold'> {
  /**
   * Called when it is known whether the message is acknowledged, before the queue is called. `handled` is undefined
   * where it was not started.
   */
  readonly onAnswered?: (acknowledged: boolean, handled?: Handled<unknown>) => void;
}

/** Handles one received message, then does at the queue what its outcome asks for. It never throws. */
export async function processDelivery<R>(
  processor: Processor<R>,
  held: HeldMessage,
  task: Task,
): Promise<HandledMessage<R>> {
  if (!held.isOurs()) {
    await held.release();
    task.onAnswered?.(false);
    return kept(processor, held.messageId, { key: '', reason: 'lapsed' });
  }
  const delivered = await processor.delivery.deliver(held.message, { ...task, hold: held });
  if (delivered === 'not-started') {
    task.onAnswered?.(false);
    const isVisible = await returnToQueue(processor, held);
    return { action: 'kept', reason: 'released', ...(isVisible ? { visibleAfterSeconds: 0 } : {}) };
  }
  task.onAnswered?.(delivered.acknowledge, delivered.handled);
  await held.release();
  return { ...handledFacts(delivered), ...(await applyVerdict(processor, held, delivered)) };
}

/** Makes a message that has not been started visible, and says whether it is. It never throws. */
export async function returnToQueue(
  { queue, events }: Pick<Processor<unknown>, 'queue' | 'events'>,
  held: HeldMessage,
): Promise<boolean> {
  const { messageId } = held;
  await held.release();
  if (!held.isOurs()) return false;
  const reply = await attempt(queue.changeVisibility(held.receiptHandle(), 0));
  if (reply.done) events.emit({ type: 'returned', messageId });
  else {
    const { error } = reply;
    events.emit({ type: 'queue-error', queue: queue.name, verb: 'change-visibility', messageId, error });
  }
  return reply.done;
}

type Applied = Pick<HandledMessage<unknown>, 'action' | 'reason' | 'visibleAfterSeconds' | 'error'>;

async function applyVerdict(
  processor: Processor<unknown>,
  held: HeldMessage,
  verdict: Verdict,
): Promise<Applied> {
  const { queue, events } = processor;
  const { messageId } = held;
  const receiptHandle = held.receiptHandle();

  function refused(verb: 'delete' | 'change-visibility', error: unknown): Applied {
    events.emit({ type: 'queue-error', queue: queue.name, verb, messageId, error });
    return { ...kept(processor, messageId, { ...verdict, reason: 'queue-error' }), error };
  }

  if (!held.isOurs()) return kept(processor, messageId, { ...verdict, reason: 'lapsed' });
  if (verdict.acknowledge) {
    const remove = (): Promise<EntryReply> => queue.delete(receiptHandle, held.withinMs);
    const reply = await attempt(twice(remove, () => held.isOurs()));
    if (!reply.done) return refused('delete', reply.error);
    events.emit({ type: 'acknowledged', messageId, key: verdict.key });
    return { action: verdict.deadLettered ? 'dead-lettered' : 'acknowledged' };
  }
  const afterMs = visibleAfterMs(verdict);
  if (afterMs === undefined) return kept(processor, messageId, verdict);
  const seconds = held.boundedSeconds(afterMs);
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
): Applied {
  events.emit({ ...verdictEvent(why), messageId, visibleAfterSeconds });
  return {
    action: 'kept',
    reason: why.reason,
    ...(visibleAfterSeconds === undefined ? {} : { visibleAfterSeconds }),
  };
}
