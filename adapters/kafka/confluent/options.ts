import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily, NOT_AN_OBJECT, withMethods } from '../../../src/adapter-kit.ts';
import { checkLogOptions } from '../../shared/kafka/log-options.ts';
import { consumptionFields, type OnceEachKafkaMessageOptions } from '../options/options.ts';
import { checkRetry, checkTopics, type RetryTopic, topicNames } from '../options/retry-options.ts';
import type { ConfluentAdmin, ConfluentPackage, ConfluentProducer } from './confluent-types.ts';
import { checkConfig, type ConfluentConfig, DEFAULTS } from './consumer-config.ts';

/** Options of `createKafkaWorker`. */
export interface KafkaWorkerOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
> extends Omit<
  OnceEachKafkaMessageOptions<Schema, Parsed, InTransaction>,
  'consumer' | 'consumerConfig' | 'admin' | 'onFailed' | 'retry' | 'fromBeginning'
> {
  /** The package `@confluentinc/kafka-javascript`. Each `run` makes a consumer of its `KafkaConsumer`. */
  readonly client: ConfluentPackage;
  /**
   * Settings of librdkafka, such as `bootstrap.servers`. The worker sets those that decide over positions (the group,
   * commits, the reset of offsets) and refuses them here. Cooperative assignment is refused too.
   */
  readonly config: ConfluentConfig;
  /** The topics to consume, with those of `retry`. */
  readonly topics: readonly string[];
  /**
   * Where a partition begins if the group has no committed offset for it: at its oldest message, or, by default, at its
   * end. If the committed offset is no longer in the log, it begins at its oldest message.
   */
  readonly fromBeginning?: boolean | undefined;
  /**
   * A connected admin client of the package. It detects re-created topics, and with `fromBeginning: false` it commits
   * the start of idle partitions. `retry` needs it. It cannot read the settings of topics.
   */
  readonly admin?: ConfluentAdmin | undefined;
  /**
   * What to do with a message that failed permanently; there is no default. `'acknowledge'` commits its offset: only
   * its record and its event show the failure. A message whose payload differs from its record's, or whose key is
   * invalid, is withheld. With `{ deadLetterTopic, producer }` a copy of each of these is produced to that topic first,
   * with name and message of the error in its header `handle-once-error`. Leave the `acks` of the producer at all
   * replicas.
   */
  readonly onFailed:
    | 'acknowledge'
    | { readonly deadLetterTopic: string; readonly producer: ConfluentProducer };
  /**
   * Where messages wait for their next attempt, so that their partitions continue. Default: each waits in its
   * partition. Needs `ordering: 'unordered'` and `admin`, and that `topics` has these topics too.
   */
  readonly retry?:
    | { readonly topics: readonly RetryTopic[]; readonly producer: ConfluentProducer }
    | undefined;
}

export const kafkaWorkerOptions = lazily(() =>
  z
    .strictObject(
      {
        ...consumptionFields(),
        client: withMethods<ConfluentPackage>(
          ['KafkaConsumer'],
          'the package @confluentinc/kafka-javascript',
        ),
        config: z
          .record(z.string(), z.unknown(), { error: 'must be an object with settings of librdkafka' })
          .check(z.superRefine(checkConfig)),
        topics: topicNames(),
        admin: z.optional(
          withMethods<ConfluentAdmin>(
            ['fetchOffsets', 'fetchTopicOffsets'],
            'a connected admin client of @confluentinc/kafka-javascript',
          ),
        ),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.refine(
        ({ rebalanceGraceMs, config }) =>
          rebalanceGraceMs < Number(config['max.poll.interval.ms'] ?? DEFAULTS['max.poll.interval.ms']),
        {
          path: ['rebalanceGraceMs'],
          error:
            'must be less than max.poll.interval.ms of config, or the group continues without this member',
        },
      ),
      z.superRefine(checkTopics),
      z.superRefine(checkRetry),
      z.superRefine(checkLogOptions),
    ),
);

export type ResolvedWorker = z.output<ReturnType<typeof kafkaWorkerOptions>>;
