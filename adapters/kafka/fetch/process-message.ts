import {
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
import type { RetryTopics } from '../retry/retry-topics.ts';
import type { Tenure } from '../partition/partition-tracker.ts';
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
type MessageInHand = Omit<KafkaDelivery<unknown>, 'payload'>;

/** The same, with what is known of its partition. */
export interface HeldMessage extends MessageInHand {
  /** Aborts when its handler has to stop. */
  readonly signal: AbortSignal;
  readonly tenure: Tenure;
}

/** Whether the offset of a message may be committed; if not, why and for how long. */
export type MessageVerdict = Verdict<KafkaKeptReason> | 'not-started';

/** Handles one message and does what its outcome asks for. It never throws. */
export async function processMessage(
  processor: Processor,
  { signal, tenure, ...inHand }: HeldMessage,
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
      ...kafkaDelivery(processor, original, tenure),
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
  // What was interrupted has no backoff: it runs again where it stands. So does what is not acknowledged here any more.
  const retryTopics = signal.aborted || tenure.isOver ? undefined : processor.retryTopics;
  const verdict = (await retryTopics?.handOver(tried, delivered)) ?? delivered;
  events.emit({ ...verdictEvent(verdict), ...place });
  if (isStuck(verdict) && !tenure.isOver) {
    processor.warnStuck(topic, partition, message.offset, describeThrown(verdict.error));
  }
  return lookedAtSoon(verdict);
}
