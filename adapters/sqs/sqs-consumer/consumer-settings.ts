import type { MessageSystemAttributeName, QueueAttributeName } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { lazily, wholeNumber, withMethods } from '../../../src/adapter-kit.ts';
import { IDENTITY_ATTRIBUTE } from '../../shared/sqs/copy-identity.ts';
import type { SqsClient } from '../../shared/sqs/queue.ts';
import { queueUrlOption } from '../../shared/sqs/queue-url.ts';
import { longerThanLease } from '../../shared/sqs/queue-settings.ts';
import { MAX_VISIBILITY_SECONDS } from '../../shared/sqs/visibility-limits.ts';

/** The options of `Consumer.create` that concern how messages are handled. The others can be given too. */
export interface ConsumerSettings {
  /** Of the queue that the consumer polls. */
  readonly queueUrl: string;
  /** The consumer's `SQSClient`. Messages are made visible, and dead letters sent, through it too. */
  readonly sqs: SqsClient;
  /** The most messages of one receive, 1 to 10. sqs-consumer's default is 1. */
  readonly batchSize?: number | undefined;
  /** Seconds that a received message stays invisible between heartbeats: above the lease. Default: twice the lease. */
  readonly visibilityTimeout?: number | undefined;
  /** Seconds between sqs-consumer's heartbeats. Default: a third of the visibility timeout. */
  readonly heartbeatInterval?: number | undefined;
  /** Default all, for dead letters and for `key`. */
  readonly messageAttributeNames?: string[] | undefined;
  /** Default all, for `key` and for the groups of FIFO queues. */
  readonly messageSystemAttributeNames?: MessageSystemAttributeName[] | undefined;
  /** The older name of `messageSystemAttributeNames`. */
  readonly attributeNames?: QueueAttributeName[] | undefined;
  /** Given by the wrapper. */
  readonly handleMessage?: undefined;
  /** Given by the wrapper. */
  readonly handleMessageBatch?: undefined;
  /** It would give up a message whose handler is still running. Use `timeoutMs` of `createHandleOnce`. */
  readonly handleMessageTimeout?: undefined;
  /** A message that stays is visible again after its backoff. */
  readonly terminateVisibilityTimeout?: false | undefined;
  /** It would delete messages that are not settled. */
  readonly alwaysAcknowledge?: false | undefined;
  /** A settled message would come again endlessly. */
  readonly shouldDeleteMessages?: true | undefined;
}

/** What the wrapper sets. */
export interface AddedSettings {
  /** Seconds: as given, or twice the lease. */
  readonly visibilityTimeout: number;
  /** Seconds: as given, or a third of the visibility timeout. */
  readonly heartbeatInterval: number;
  /** As given, with the one of redriven copies; or all. */
  readonly messageAttributeNames: string[];
  /** As given, or all; none where the older `attributeNames` is given. */
  readonly messageSystemAttributeNames: MessageSystemAttributeName[];
}

const NAMES = { error: 'must be a list of names' };

const names = () => z.array(z.string(NAMES), NAMES);
const absent = (advice: string) => z.optional(z.undefined({ error: `must be left out: ${advice}` }));
const only = (value: boolean, advice: string) =>
  z.optional(z.literal(value, { error: `must be ${value} or left out: ${advice}` }));

/** Other settings are sqs-consumer's own to check. */
export const consumerSettings = lazily(() =>
  z.looseObject(
    {
      queueUrl: queueUrlOption('the queue'),
      sqs: withMethods<SqsClient>(['send'], 'the SQSClient that the consumer uses'),
      batchSize: z.optional(wholeNumber('messages', 1, 10)),
      visibilityTimeout: z.optional(wholeNumber('seconds', 1, MAX_VISIBILITY_SECONDS)),
      messageAttributeNames: z.optional(names()),
      messageSystemAttributeNames: z.optional(names()),
      attributeNames: z.optional(names()),
      handleMessage: absent('the handler is the second argument'),
      handleMessageBatch: absent('the handler is the second argument'),
      handleMessageTimeout: absent(
        'sqs-consumer would give up a message whose handler is still running; pass timeoutMs to createHandleOnce',
      ),
      terminateVisibilityTimeout: only(false, 'a message that stays is visible again after its backoff'),
      alwaysAcknowledge: only(false, 'sqs-consumer would delete messages that are not settled'),
      shouldDeleteMessages: only(true, 'a settled message would come again endlessly'),
    },
    { error: 'must be an object: what Consumer.create takes' },
  ),
);

/** Twice a beat may fail before the visibility timeout lapses. */
const BEATS_PER_VISIBILITY = 3;

export function addedSettings(given: ConsumerSettings, leaseMs: number): AddedSettings {
  const visibilityTimeout = given.visibilityTimeout ?? longerThanLease(leaseMs);
  return {
    visibilityTimeout,
    heartbeatInterval: given.heartbeatInterval ?? visibilityTimeout / BEATS_PER_VISIBILITY,
    messageAttributeNames: withIdentity(given.messageAttributeNames ?? ['All']),
    messageSystemAttributeNames:
      given.messageSystemAttributeNames ?? (given.attributeNames === undefined ? ['All'] : []),
  };
}

function withIdentity(names: readonly string[]): string[] {
  const hasAll = ['All', '.*', IDENTITY_ATTRIBUTE].some((name) => names.includes(name));
  return hasAll ? [...names] : [...names, IDENTITY_ATTRIBUTE];
}
