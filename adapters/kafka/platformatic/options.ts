import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily, NOT_AN_OBJECT, withMethods } from '../../../src/adapter-kit.ts';
import { checkLogOptions } from '../../shared/kafka/log-options.ts';
import { consumptionFields, type OnceEachKafkaMessageOptions } from '../options/options.ts';
import { checkRetry, checkTopics, type RetryTopic, topicNames } from '../options/retry-options.ts';
import { checkConfig, DEFAULTS, type PlatformaticConfig } from './consumer-config.ts';
import { checkProducers } from './producer-faults.ts';
import type { PlatformaticAdmin, PlatformaticPackage, PlatformaticProducer } from './platformatic-types.ts';

/** Options of `createKafkaWorker`. */
export interface KafkaWorkerOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
> extends Omit<
  OnceEachKafkaMessageOptions<Schema, Parsed, InTransaction>,
  'consumer' | 'consumerConfig' | 'admin' | 'onFailed' | 'retry' | 'fromBeginning'
> {
  /** The package `@platformatic/kafka`. Each `run` makes consumers of its `Consumer`. */
  readonly client: PlatformaticPackage;
  /**
   * Options of the package's `Consumer`, such as `bootstrapBrokers`. The worker sets those that decide over positions
   * (the group, commits, retries) and refuses them here. Cooperative assignment and the protocol `consumer` are refused
   * too, and so are options without effect and unknown names.
   */
  readonly config: PlatformaticConfig;
  /** The topics to consume, with those of `retry`. */
  readonly topics: readonly string[];
  /**
   * Where a partition begins if the group has no committed offset for it: at its oldest message, or, by default, at its
   * end. If the committed offset is no longer in the log, it begins at its oldest message.
   */
  readonly fromBeginning?: boolean | undefined;
  /**
   * An admin client of the package. It compares the retention of the topics with that of the records, detects
   * re-created topics, and with `fromBeginning: false` commits the start of idle partitions. `retry` needs it.
   */
  readonly admin?: PlatformaticAdmin | undefined;
  /**
   * What to do with a message that failed permanently; there is no default. `'acknowledge'` commits its offset: only
   * its record and its event show the failure. A message whose payload differs from its record's, or whose key is
   * invalid, is withheld. With `{ deadLetterTopic, producer }` a copy of each of these is produced to that topic first,
   * with name and message of the error in its header `handle-once-error`. The producer must have no serializers.
   */
  readonly onFailed:
    | 'acknowledge'
    | { readonly deadLetterTopic: string; readonly producer: PlatformaticProducer };
  /**
   * Where messages wait for their next attempt, so that their partitions continue. Default: each waits in its
   * partition. Needs `ordering: 'unordered'` and `admin`, and that `topics` has these topics too.
   */
  readonly retry?:
    | { readonly topics: readonly RetryTopic[]; readonly producer: PlatformaticProducer }
    | undefined;
}

const ADMIN_METHODS = ['metadata', 'listOffsets', 'listConsumerGroupOffsets', 'describeConfigs'];
export const kafkaWorkerOptions = lazily(() =>
  z
    .strictObject(
      {
        ...consumptionFields(),
        client: withMethods<PlatformaticPackage>(['Consumer'], 'the package @platformatic/kafka'),
        config: z
          .record(z.string(), z.unknown(), { error: 'must be an object with options of the Consumer' })
          .check(z.superRefine(checkConfig)),
        topics: topicNames(),
        admin: z.optional(
          withMethods<PlatformaticAdmin>(ADMIN_METHODS, 'an admin client of @platformatic/kafka'),
        ),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.refine(() => typeof Reflect.get(Promise, 'withResolvers') === 'function', {
        path: ['client'],
        error: `needs Node 22.22, or 24.6 or newer; this is ${process.version}`,
      }),
      z.refine(
        ({ rebalanceGraceMs, config }) =>
          rebalanceGraceMs < Number(config['sessionTimeout'] ?? DEFAULTS.sessionTimeout),
        {
          path: ['rebalanceGraceMs'],
          error: 'must be less than sessionTimeout of config, or the group continues without this member',
        },
      ),
      z.superRefine(checkTopics),
      z.superRefine((options, context) => {
        checkRetry(options, context, [...ADMIN_METHODS, 'describeGroups']);
      }),
      z.superRefine(checkProducers),
      z.superRefine(checkLogOptions),
    ),
);

export type ResolvedWorker = z.output<ReturnType<typeof kafkaWorkerOptions>>;
