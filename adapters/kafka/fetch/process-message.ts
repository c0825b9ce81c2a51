import {
  type Delivered,
  deliverInTurn,
  describeThrown,
  type EventSink,
  type Turn,
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

/** Handles one message and does what its outcome asks for. It never throws. */
export async function processMessage(
  processor: Processor,
  inHand: MessageInHand,
  signal: AbortSignal,
  turn: Turn,
): Promise<MessageVerdict> {
  const { events, groupId, handler, toOriginal } = processor;
  const { topic, partition, message } = inHand;
  const place = { topic, partition, offset: message.offset };
  const original = { ...inHand, ...toOriginal(inHand) };
  let hasRun = false;
  const delivered = await deliverInTurn(
    processor.consumer,
    {
      ...kafkaDelivery(processor, original),
      handler(payload, attempt, ...extra) {
        hasRun = true;
        return handler({ ...original, payload: payload as never }, attempt, ...(extra as never[]));
      },
      signal,
      source: () => topicSource({ groupId, topic, partition, message }),
      emit(event) {
        events.emit({ ...event, ...place });
      },
    },
    turn,
  );
  if (delivered === 'not-started') return 'not-started';
  const tried = { at: inHand, original, hasRun };
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
