import {
  dispositionOf,
  type EventSink,
  failureFacts,
  type Handled,
  handleDelivery,
  leftReason,
  type OnFailed,
  replayedState,
  sendDeadLetter,
} from '../../src/adapter-kit.ts';
import type { Outcome } from '../../src/index.ts';
import type { LeftReason, SqsEvent } from './events.ts';
import type { Delivery, SqsMessage } from './message.ts';
import { attempt, type Queue } from './queue.ts';
import type { Hold } from './visibility.ts';

/** What was done with a message, and why. */
export interface HandledMessage<R> {
  /** `left`: the message is still in the queue. */
  readonly action: 'deleted' | 'dead-lettered' | 'left';
  /** When a message that was left shows again, in seconds; undefined when it was not touched. */
  readonly visibleAfterSeconds?: number;
  /** What `handleOnce` returned; undefined when it threw. */
  readonly outcome?: Outcome<R>;
  /** What `handleOnce` or the queue threw. */
  readonly error?: unknown;
}

export interface Processor<R> {
  readonly queue: Queue;
  readonly events: EventSink<SqsEvent>;
  readonly scope: string;
  readonly onFailed: OnFailed | undefined;
  /** Called with the attributes that a dead letter was sent without. */
  readonly warnDropped: (attributes: readonly string[]) => void;
  readonly keyOf: (message: SqsMessage) => string | undefined;
  readonly handle: (key: string, message: SqsMessage, watch: Watch) => Promise<Outcome<R>>;
}

/** What the caller has to do with a delivery while it is handled. */
export interface Watch {
  readonly signal?: AbortSignal | undefined;
  /** Called when the store has given us the message and its handler starts. */
  readonly onStart?: () => void;
  /** Called when the handler has ended, before that is on record. */
  readonly onHandled?: () => void;
}

/** Handles one message in hand, then does at the queue what its outcome asks for. It never throws. */
export async function processDelivery<R>(
  processor: Processor<R>,
  delivery: Delivery,
  hold: Hold,
  watch: Watch,
): Promise<HandledMessage<R>> {
  if (!hold.isOurs()) return await skipLapsed(processor, delivery, hold);
  const { message } = delivery;
  const handled = await handleDelivery(
    () => processor.keyOf(message),
    (key) => processor.handle(key, message, watch),
  );
  const remnant: Remnant<R> = { processor, delivery, hold, ...handled };
  reportReplay(remnant);
  const disposition = dispositionOf(remnant.handled, processor.onFailed);
  switch (disposition.action) {
    case 'leave':
      return await leave(remnant, disposition.visibleAfterMs);
    case 'delete':
      return await remove(remnant, 'deleted');
    case 'dead-letter':
      return await deadLetter(remnant, disposition.deadLetterQueueUrl);
  }
}

/** Its visibility lapsed while it waited for its turn: somebody else may have it by now. */
async function skipLapsed(
  processor: Processor<unknown>,
  { messageId }: Delivery,
  hold: Hold,
): Promise<HandledMessage<never>> {
  await hold.release();
  processor.events.emit({
    type: 'left',
    messageId,
    key: '',
    reason: 'lapsed',
    visibleAfterSeconds: undefined,
  });
  return { action: 'left' };
}

/** A message that has been handled and not yet been disposed of. */
interface Remnant<R> {
  readonly processor: Processor<R>;
  readonly delivery: Delivery;
  readonly hold: Hold;
  /** Empty when the key function threw. */
  readonly key: string;
  readonly handled: Handled<R>;
}

function reportReplay({ processor, delivery, key, handled }: Remnant<unknown>): void {
  const state = replayedState(handled);
  if (state === undefined) return;
  processor.events.emit({ type: 'replayed', messageId: delivery.messageId, key, state });
}

async function remove<R>(
  remnant: Remnant<R>,
  action: 'deleted' | 'dead-lettered',
): Promise<HandledMessage<R>> {
  const { processor, delivery, hold, key, handled } = remnant;
  await hold.release();
  if (!hold.isOurs()) return left(remnant, 'lapsed', undefined);
  const { messageId, receiptHandle } = delivery;
  const reply = await attempt(processor.queue.delete(receiptHandle));
  if (!reply.done) return refused(remnant, 'delete', reply.error);
  processor.events.emit({ type: 'deleted', messageId, key });
  return { action, ...handledFacts(handled) };
}

async function leave<R>(remnant: Remnant<R>, visibleAfterMs: number | undefined): Promise<HandledMessage<R>> {
  const { processor, delivery, hold, handled } = remnant;
  await hold.release();
  if (!hold.isOurs()) return left(remnant, 'lapsed', undefined);
  if (visibleAfterMs === undefined) return left(remnant, leftReason(handled), undefined);
  const seconds = hold.boundedSeconds(visibleAfterMs);
  const reply = await attempt(processor.queue.changeVisibility(delivery.receiptHandle, seconds));
  if (!reply.done) return refused(remnant, 'change-visibility', reply.error);
  return left(remnant, leftReason(handled), seconds);
}

async function deadLetter<R>(remnant: Remnant<R>, deadLetterQueueUrl: string): Promise<HandledMessage<R>> {
  const { processor, delivery, hold, key, handled } = remnant;
  if (!hold.isOurs()) return await leave(remnant, undefined);
  const { message, messageId } = delivery;
  const facts = { scope: processor.scope, key, ...failureFacts(handled) };
  let droppedAttributes: readonly string[];
  try {
    droppedAttributes = await sendDeadLetter(message, facts, deadLetterQueueUrl, (letter) =>
      processor.queue.send(letter),
    );
  } catch (error) {
    await hold.release();
    return refused(remnant, 'dead-letter', error);
  }
  processor.events.emit({ type: 'dead-lettered', messageId, key, deadLetterQueueUrl, droppedAttributes });
  processor.warnDropped(droppedAttributes);
  return await remove(remnant, 'dead-lettered');
}

function refused<R>(
  remnant: Remnant<R>,
  verb: 'delete' | 'change-visibility' | 'dead-letter',
  error: unknown,
): HandledMessage<R> {
  const { processor, delivery } = remnant;
  processor.events.emit({ type: 'queue-error', verb, messageId: delivery.messageId, error });
  return { ...left(remnant, 'queue-error', undefined), error };
}

function left<R>(
  { processor, delivery, key, handled }: Remnant<R>,
  reason: LeftReason,
  visibleAfterSeconds: number | undefined,
): HandledMessage<R> {
  const { messageId } = delivery;
  const error = 'thrown' in handled ? { error: handled.thrown } : {};
  processor.events.emit({ type: 'left', messageId, key, reason, visibleAfterSeconds, ...error });
  const visible = visibleAfterSeconds === undefined ? {} : { visibleAfterSeconds };
  return { action: 'left', ...visible, ...handledFacts(handled) };
}

function handledFacts<R>(handled: Handled<R>): Pick<HandledMessage<R>, 'outcome' | 'error'> {
  return 'outcome' in handled ? { outcome: handled.outcome } : { error: handled.thrown };
}
