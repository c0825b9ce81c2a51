import * as z from 'zod/mini';
import { flag, lazily, NOT_AN_OBJECT, withMethods } from '../../../src/adapter-kit.ts';
import { goElsewhere, redriveFields, type RedriveOptions } from '../../operations/redrive/options.ts';
import type { DeadLetterRecord, RedrivenDeadLetter } from '../../operations/redrive/dead-letter.ts';
import type { KafkaMessage } from '../log/log-client.ts';
import { topicName } from '../options/retry-options.ts';
import type { KafkaClients } from './kafka-client.ts';

/** A dead letter of a dead-letter topic, and the record that it belongs to. */
export interface TopicDeadLetter extends DeadLetterRecord {
  /** Of the dead-letter topic. */
  readonly partition: number;
  /** The dead letter as it was fetched, with its value and headers. */
  readonly message: KafkaMessage;
}

/**
 * A dead letter of a dead-letter topic, and what was done with it. Its `scope` and `key` are undefined where the record
 * is not known. It holds no payload.
 */
export type RedrivenTopicDeadLetter = RedrivenDeadLetter & {
  /** Of the dead-letter topic. */
  readonly partition: number;
  /** In the dead-letter topic. */
  readonly offset: string;
};

/** Options of `redriveTopic`. */
export interface RedriveTopicOptions extends RedriveOptions<TopicDeadLetter, RedrivenTopicDeadLetter> {
  /** A `Kafka` of kafkajs. The clients that it makes here are disconnected at the end. */
  readonly kafka: KafkaClients;
  /** The dead-letter topic. */
  readonly from: string;
  /**
   * The topic that the copies go to. Default: the one that each dead letter came from. If other groups read that topic,
   * they see a copy as a new message: then name a retry topic of the group. In any other topic a copy is a new message
   * for everyone.
   */
  readonly to?: string | undefined;
  /**
   * The group whose committed offsets say which dead letters are done. It must have no consumers: do not use the group
   * of your workers. Default `handle-once-redrive-<from>`.
   */
  readonly groupId?: string | undefined;
  /**
   * Whether dead letters without a record are sent. Set it only if no earlier redrive of this topic has sent them, or
   * if the group's offsets show which were sent. Default false: they are kept as `ambiguous`, because a record expires
   * after its message has succeeded.
   */
  readonly sendUnrecorded?: boolean | undefined;
}

const GROUP = 'must be the id of a consumer group';

export const redriveTopicOptions = lazily(() =>
  z
    .strictObject(
      {
        ...redriveFields<TopicDeadLetter, RedrivenTopicDeadLetter>(),
        kafka: withMethods<KafkaClients>(['consumer', 'producer', 'admin'], 'a Kafka of kafkajs'),
        from: topicName(),
        to: z.optional(topicName()),
        sendUnrecorded: z._default(flag(), false),
        groupId: z.optional(z.string({ error: GROUP }).check(z.minLength(1, { error: GROUP }))),
      },
      NOT_AN_OBJECT,
    )
    .check(goElsewhere('topic')),
);
