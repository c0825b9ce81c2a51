import type { Delivered, Handled, Verdict } from '../../../src/adapter-kit.ts';
import { type LogKey } from '../../shared/kafka/log-identity.ts';
import type { KafkaKeptReason } from '../log/events.ts';
import type { KafkaMessage, Place, Placed } from '../log/log-client.ts';
import { produceCopy } from '../log/produce.ts';
import { createRetryConsumed, type RetryConsumedOptions } from './retry-consumed.ts';
import { retryCopyOf, type ToOriginal } from '../../shared/kafka/retry-copy.ts';
import { createRetryWaits, type DueMessages } from './retry-due.ts';
import type { RetryInTopics, RetryTopic } from '../options/retry-options.ts';

/** What fails for a short time is mostly over at the second try, and then nothing has been produced. */
const ATTEMPTS_IN_PLACE = 2;

/** A message that was handled: where it stands, and what it is. */
export interface Tried {
  readonly at: Placed;
  /** The same, or the message of which it is a copy. */
  readonly original: Placed;
  /** Whether its handler has begun: else its record alone has answered. */
  readonly hasRun: boolean;
}

export type RetryTopics = ReturnType<typeof createRetryTopics>;

export interface RetryTopicsOptions extends RetryConsumedOptions {
  readonly retry: RetryInTopics;
}

/** Topics in which messages wait for their next attempt, so that their partitions continue. */
export function createRetryTopics(options: RetryTopicsOptions) {
  const { clock, retry, groupId, events } = options;
  const topics = retry.topics.toSorted((one, other) => one.delayMs - other.delayMs);
  const delays = new Map(topics.map(({ topic, delayMs }) => [topic, delayMs]));
  const consumed = createRetryConsumed(options);
  const waits = createRetryWaits(clock);

  async function produce(
    { at, original }: Tried,
    key: string,
    { topic: to }: RetryTopic,
  ): Promise<Verdict<KafkaKeptReason>> {
    const { topic, partition, message } = at;
    const place = { topic, partition, offset: message.offset, key };
    try {
      await produceCopy(retry.producer, to, retryCopyOf(original, groupId));
    } catch (error) {
      events.emit({ type: 'retry-error', ...place, to, error });
      return { acknowledge: false, key, reason: 'retry-refused', error };
    }
    events.emit({ type: 'retry-produced', ...place, to });
    return { acknowledge: true, key, deadLettered: false };
  }

  /** Milliseconds for which a message stays in place though its backoff runs. */
  function lackingOf({ at, hasRun }: Tried): number {
    const delayMs = delays.get(at.topic);
    return hasRun || delayMs === undefined ? 0 : waits.lacking(at, delayMs);
  }

  return {
    has: (topic: string): boolean => delays.has(topic),
    /** Which messages of a partition may be claimed. In a retry topic they have to wait first. */
    split(place: Place, messages: readonly KafkaMessage[]): DueMessages {
      const delayMs = delays.get(place.topic);
      if (delayMs === undefined) return { due: messages, nextAt: undefined };
      return waits.split(place, messages, delayMs);
    },
    /**
     * Produces a message whose backoff runs to a retry topic: then it is acknowledged here. Else its verdict stays. A
     * copy that has not run, and has not waited for the delay of its topic either, waits for that in place: a clock
     * that is ahead calls each copy due at once, and each would be copied again at once.
     */
    async handOver(tried: Tried, delivered: Delivered<unknown>): Promise<Verdict<KafkaKeptReason>> {
      const { key, handled } = delivered;
      const next = nextTopic(topics, tried.at.topic, handled);
      if (next === undefined || delivered.acknowledge) return delivered;
      const lackingMs = lackingOf(tried);
      if (lackingMs > 0) {
        return { ...delivered, retryAfterMs: Math.min(delivered.retryAfterMs ?? Infinity, lackingMs) };
      }
      return (await consumed.isSafe(next)) ? await produce(tried, key, next) : delivered;
    },
    /** The group has rebalanced. */
    joined(): void {
      consumed.joined();
    },
  };
}

/** Where a message waits next, of topics that are sorted by delay. Undefined where it stays in its place. */
export function nextTopic(
  topics: readonly RetryTopic[],
  current: string,
  handled: Handled<unknown>,
): RetryTopic | undefined {
  if (handled.state !== 'pending') return undefined;
  const { reason, attempts, retryAfterMs } = handled;
  if (reason !== 'released' && reason !== 'deferred') return undefined;
  const isShort = retryAfterMs < (topics[0]?.delayMs ?? 0);
  const isInPlace = !topics.some(({ topic }) => topic === current);
  if (reason === 'released' && isInPlace && isShort && attempts < ATTEMPTS_IN_PLACE) return undefined;
  return topics.find(({ delayMs }) => delayMs >= retryAfterMs) ?? topics.at(-1);
}

/** The same key function, called with the message of which one is a copy. */
export function keyOfOriginals(
  key: LogKey<KafkaMessage> | undefined,
  toOriginal: ToOriginal<KafkaMessage>,
): LogKey<KafkaMessage> | undefined {
  if (key === undefined) return undefined;
  return (message, topic, partition) => {
    const original = toOriginal({ topic, partition, message });
    return key(original.message, original.topic, original.partition);
  };
}
