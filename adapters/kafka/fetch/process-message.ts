import {
  type Delivered,
  describeThrown,
  type EventSink,
  type Verdict,
  verdictEvent,
} from '../../../src/adapter-kit.ts';
import { isStuck } from '../../shared/kafka/is-stuck.ts';
import { topicSource } from '../../shared/kafka/message-source.ts';
import type { KafkaEvent, KafkaKeptReason } from '../log/events.ts';
import { kafkaDelivery, type KafkaDeliveryOptions } from './kafka-delivery.ts';
import { lookedAtSoon } from './look-again.ts';
import type { AnyHandler, KafkaDelivery } from '../options/options.ts';
import type { ToOriginal } from '../../shared/kafka/retry-copy.ts';
import type { KafkaMessage, Placed } from '../log/log-client.ts';
import type { WarnMismatchedCopy } from '../retry/mismatched-copies.ts';
import type { RetryTopics, Tried } from '../retry/retry-topics.ts';
import type { Ownership } from '../partition/partition-tracker.ts';
import type { WarnStuck } from '../partition/stuck.ts';
import { deliverInTurn, type Turn } from '../../shared/deliver-in-turn.ts';

export interface Processor extends KafkaDeliveryOptions {
  readonly groupId: string;
  readonly toOriginal: ToOriginal<KafkaMessage>;
  readonly handler: AnyHandler;
  readonly retryTopics?: Pick<RetryTopics, 'handOver'> | undefined;
  readonly events: EventSink<KafkaEvent>;
  readonly warnStuck: WarnStuck;
  readonly warnMismatchedCopy: WarnMismatchedCopy;
}

/** A message, with what its handler may do to its partition. */
export interface HeldMessage extends Omit<KafkaDelivery<unknown>, 'payload'> {
  readonly ownership: Ownership;
}

/** Whether the offset of a message may be committed; if not, why and for how long. */
export type MessageVerdict = Verdict<KafkaKeptReason> | 'not-started';

/** Handles one message and does what its outcome asks for. It never throws. */
export async function processMessage(
  processor: Processor,
  held: HeldMessage,
  turn: Turn,
): Promise<MessageVerdict> {
  const { events } = processor;
  const { ownership, topic, partition, message } = held;
  const tried = await deliverMessage(processor, held, turn);
  if (tried === 'not-started') return 'not-started';
  // What was interrupted has no backoff: it runs again where it stands. So does what is not acknowledged here any more.
  const mayHandOver = !ownership.signal.aborted && !ownership.isOver;
  const retryTopics = mayHandOver ? processor.retryTopics : undefined;
  const verdict = (await retryTopics?.handOver(tried, tried.delivered)) ?? tried.delivered;
  events.emit({ ...verdictEvent(verdict), topic, partition, offset: message.offset });
  if (!ownership.isOver) warnIfStuck(processor, held, verdict, tried.ageMs);
  return lookedAtSoon(verdict);
}

const LONG_DEFERRED_MS = 3_600_000;

function warnIfStuck(
  { warnStuck }: Processor,
  { topic, partition, message }: HeldMessage,
  verdict: Verdict<KafkaKeptReason>,
  ageMs: number,
): void {
  const isDeferred = !verdict.acknowledge && verdict.reason === 'deferred';
  if (isDeferred && ageMs >= LONG_DEFERRED_MS) {
    const why = `its handler has deferred it for ${Math.floor(ageMs / LONG_DEFERRED_MS)} h`;
    warnStuck(topic, partition, message.offset, why, 'with retry topics it does not hold the others');
  } else if (isStuck(verdict)) {
    warnStuck(topic, partition, message.offset, describeThrown(verdict.error));
  }
}

interface DeliveredMessage extends Tried {
  readonly delivered: Delivered<unknown>;
  /** How old it was at this attempt. 0 where none has begun. */
  readonly ageMs: number;
}

/** As the message of which it is a copy. One that is a copy by its headers alone is a message of its own. */
async function deliverMessage(
  processor: Processor,
  held: HeldMessage,
  turn: Turn,
): Promise<DeliveredMessage | 'not-started'> {
  const original = processor.toOriginal(held);
  // A key of the user's own does not depend on the place.
  const isCopy = original.message !== held.message && processor.key === undefined;
  const tried = await deliverAs(processor, held, original, isCopy, turn);
  if (!isCopy || tried === 'not-started' || !isMismatch(tried.delivered)) return tried;
  processor.warnMismatchedCopy(held, original);
  return await deliverAs(processor, held, held, false, turn);
}

function isMismatch(verdict: Verdict<KafkaKeptReason>): boolean {
  return !verdict.acknowledge && verdict.reason === 'mismatch';
}

async function deliverAs(
  processor: Processor,
  { ownership, ...at }: HeldMessage,
  { topic, partition, message }: Placed,
  isCopy: boolean,
  turn: Turn,
): Promise<DeliveredMessage | 'not-started'> {
  const { kernel, groupId, events } = processor;
  const handler: AnyHandler = turn.seat?.handler ?? processor.handler;
  const original = { ...at, topic, partition, message };
  const { onFailed, ...delivery } = kafkaDelivery(processor, original, ownership);
  let hasRun = false;
  let ageMs = 0;
  const delivered = await deliverInTurn<unknown>(
    kernel,
    {
      ...delivery,
      onFailed: isCopy ? unlessMismatch(onFailed) : onFailed,
      handler(payload, attempt, ...extra) {
        hasRun = true;
        ({ ageMs } = attempt);
        return handler({ ...original, payload: payload as never }, attempt, ...(extra as never[]));
      },
      signal: ownership.signal,
      source: () => topicSource({ ...at, groupId }),
      emit(event) {
        events.emit({ ...event, topic: at.topic, partition: at.partition, offset: at.message.offset });
      },
    },
    turn,
  );
  return delivered === 'not-started' ? delivered : { at, original, hasRun, ageMs, delivered };
}

type OnFailed = ReturnType<typeof kafkaDelivery>['onFailed'];

function unlessMismatch(onFailed: OnFailed): OnFailed {
  if (typeof onFailed === 'string') return onFailed;
  const { mayBeSent } = onFailed;
  return { ...onFailed, mayBeSent: (reason) => reason !== 'mismatch' && mayBeSent?.(reason) !== false };
}
