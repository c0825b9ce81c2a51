import * as z from 'zod/mini';
import { hasMethods, lazily, wholeNumber, withMethods } from '../../../src/adapter-kit.ts';
import type { KafkaOnFailed } from '../log/dead-letter.ts';
import type { KafkaProducer } from '../log/kafkajs-types.ts';
import type { Ordering } from './ordering.ts';
import { TOPIC_NAME } from '../../shared/kafka/retry-copy.ts';

/** A topic whose messages wait before they are handled, each for the same time. */
export interface RetryTopic {
  /** A topic that is not compacted, and keeps messages for longer than the delay. */
  readonly topic: string;
  /** Milliseconds from when a message is produced to the topic, 1 to 2,147,483,647. */
  readonly delayMs: number;
}

/** Where messages wait for their next attempt, instead of in their partition. */
export interface RetryInTopics {
  /** Each with a different delay, in any order. Used by this group only, and subscribed to by each of its members. */
  readonly topics: readonly RetryTopic[];
  /** A connected producer. */
  readonly producer: KafkaProducer;
}

export const topicName = lazily(() =>
  z
    .string({ error: 'must be the name of a topic' })
    .check(z.regex(TOPIC_NAME, { error: 'must be the name of a topic' })),
);

const NAMES = 'must be a list of one or more topic names, each only once';

export const topicNames = lazily(() =>
  z.array(topicName(), { error: NAMES }).check(
    z.minLength(1, { error: NAMES }),
    z.refine((topics) => new Set(topics).size === topics.length, { error: NAMES }),
  ),
);

const LONGEST_DELAY_MS = 2_147_483_647;
const TOPICS = 'must be a list of { topic, delayMs }, with at least one';

export const retryOption = lazily(() =>
  z.strictObject(
    {
      topics: z
        .array(
          z.strictObject(
            { topic: topicName(), delayMs: wholeNumber('milliseconds', 1, LONGEST_DELAY_MS) },
            { error: 'must be { topic, delayMs }' },
          ),
          { error: TOPICS },
        )
        .check(z.minLength(1, { error: TOPICS })),
      producer: withMethods<KafkaProducer>(['send'], 'a connected producer'),
    },
    { error: 'must be { topics, producer }, with a connected producer' },
  ),
);

interface OptionsWithRetry {
  readonly retry?: RetryInTopics | undefined;
  readonly ordering: Ordering;
  readonly onFailed: KafkaOnFailed;
  readonly admin?: unknown;
}

/** Refuses retry topics that contradict one another or the other options. The methods are of the client's admin. */
export function checkRetry(
  options: OptionsWithRetry,
  context: z.core.$RefinementCtx,
  adminMethods: readonly string[] = ['describeGroups', 'fetchOffsets', 'fetchTopicOffsets'],
): void {
  for (const [path, message] of contradictions(options, adminMethods)) {
    context.addIssue({ code: 'custom', path, message });
  }
}

/** Refuses topics to consume that contradict the other options. */
export function checkTopics(
  {
    topics,
    retry,
    onFailed,
  }: Pick<OptionsWithRetry, 'retry' | 'onFailed'> & { readonly topics: readonly string[] },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string[], message: string) => {
    context.addIssue({ code: 'custom', path, message });
  };
  if (retry?.topics.every(({ topic }) => topics.includes(topic)) === false)
    refuse(['topics'], 'must have the topics of retry too');
  if (typeof onFailed === 'object' && topics.includes(onFailed.deadLetterTopic))
    refuse(['onFailed', 'deadLetterTopic'], DEAD_LETTERS_CONSUMED);
}

const DEAD_LETTERS_CONSUMED =
  'must not be among topics: each dead letter would fail again and be produced again, endlessly';

function* contradictions(
  { retry, ordering, onFailed, admin }: OptionsWithRetry,
  adminMethods: readonly string[],
): Generator<[path: (string | number)[], message: string]> {
  if (retry === undefined) return;
  if (ordering !== 'unordered') {
    yield [
      ['ordering'],
      "must be 'unordered' with retry: other messages overtake one that waits in a retry topic",
    ];
  }
  if (!hasMethods(admin, adminMethods)) {
    yield [
      ['admin'],
      'must be a connected admin client with retry: it checks whether the group consumes the topics',
    ];
  }
  const topics = new Set(typeof onFailed === 'object' ? [onFailed.deadLetterTopic] : []);
  const delays = new Set<number>();
  for (const [index, { topic, delayMs }] of retry.topics.entries()) {
    const path = ['retry', 'topics', index];
    if (topics.has(topic))
      yield [[...path, 'topic'], 'must be neither the dead-letter topic nor given twice'];
    if (delays.has(delayMs))
      yield [[...path, 'delayMs'], 'must differ from the delay of each other retry topic'];
    topics.add(topic);
    delays.add(delayMs);
  }
}
