import {
  deliver,
  type Delivered,
  describeThrown,
  type EventSink,
  type Verdict,
  verdictEvent,
} from '../../../src/adapter-kit.ts';
import { isStuck } from '../../shared/kafka/is-stuck.ts';
import { topicSource } from '../../shared/kafka/message-source.ts';
import type { KafkaEvent, KafkaKeptReason } from '../events.ts';
import { kafkaDelivery, type KafkaDeliveryOptions } from './kafka-delivery.ts';
import { lookedAtSoon } from './look-again.ts';
import type { AnyHandler, KafkaDelivery } from '../options.ts';
import type { ToOriginal } from '../../shared/kafka/retry-copy.ts';
import type { KafkaMessage } from '../client/log-client.ts';
import type { RetryTopics, Tried } from '../retry/retry-topics.ts';
import type { WarnStuck } from '../partition/stuck.ts';

export interface Processor extends KafkaDeliveryOptions {
  readonly groupId: string;
  readonly toOriginal: ToOriginal<KafkaMessage>;
  readonly handler: AnyHandler;
  readonly retryTopics?: Pick<RetryTopics, 'handOver'> | undefined;
  readonly events: EventSink<KafkaEvent>;
  readonly warnStuck: WarnStuck;
}

/** A message in hand, with what its handler may do to its partition. */
export type MessageInHand = Omit<KafkaDelivery<unknown>, 'payload'>;

/** Whether the offset of a message may be committed; if not, why and for how long. */
export type MessageVerdict = Verdict<KafkaKeptReason> | 'not-started';

export interface Turn {
  readonly signal: AbortSignal;
  /** Asked when the message is claimed. If it is not its turn, the claim is released, uncounted. */
  readonly isItsTurn: () => Promise<boolean>;
  /** Called when the handler has returned, before that is on record. */
  readonly onReturned: () => void;
}

/** Handles one message and does what its outcome asks for. It never throws. */
export async function processMessage(
  processor: Processor,
  inHand: MessageInHand,
  { signal, isItsTurn, onReturned }: Turn,
): Promise<MessageVerdict> {
  const { events, groupId, handler, toOriginal } = processor;
  const { topic, partition, message } = inHand;
  const place = { topic, partition, offset: message.offset };
  const original = { ...inHand, ...toOriginal(inHand) };
  const turn = { isDeclined: false, hasRun: false };
  const delivered = await deliver(processor.consumer, {
    ...kafkaDelivery(processor, original),
    async handler(payload, attempt, ...extra) {
      turn.hasRun = true;
      const given = { ...original, payload: payload as never };
      const result = await handler(given, attempt, ...(extra as never[]));
      onReturned();
      return result;
    },
    signal,
    source: () => topicSource({ groupId, topic, partition, message }),
    async mayStart() {
      turn.isDeclined = !(await isItsTurn());
      return !turn.isDeclined;
    },
    emit(event) {
      events.emit({ ...event, ...place });
    },
  });
  if (turn.isDeclined) return 'not-started';
  const tried = { at: inHand, original, hasRun: turn.hasRun };
  const verdict = await handedOver(processor, tried, delivered, signal);
  events.emit({ ...verdictEvent(verdict), ...place });
  if (isStuck(verdict)) {
    processor.warnStuck(topic, partition, message.offset, describeThrown(verdict.error));
  }
  return lookedAtSoon(verdict);
}

/** Lets a message wait for its next attempt in a retry topic, where there is one for it. */
async function handedOver(
  { retryTopics }: Processor,
  tried: Tried,
  delivered: Delivered<unknown>,
  signal: AbortSignal,
): Promise<Verdict<KafkaKeptReason>> {
  // What was interrupted has no backoff: it runs again where it stands.
  if (retryTopics === undefined || signal.aborted) return delivered;
  return await retryTopics.handOver(tried, delivered);
}
