import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import {
  type Counts,
  consumerOf,
  createAdapterEvents,
  handlesOf,
  parseOptions,
  withOwnRetries,
} from '../../src/adapter-kit.ts';
import { createQueueDelivery } from '../shared/sqs/queue-delivery.ts';
import { addedSettings, type AddedSettings, type ConsumerSettings } from './consumer-settings.ts';
import type { SqsConsumerEvent } from './events.ts';
import { type Hold, holdMessages } from './hold.ts';
import type { SqsMessage } from './message.ts';
import { sqsConsumerOptions } from './options.ts';
import type { Processor } from './process-message.ts';
import { createQueue } from './queue.ts';
import { createQueueCheck, type MayHandle } from './queue-check.ts';

export interface Once {
  readonly mayHandle: MayHandle;
  readonly processor: Processor;
  /** Of messages that have just come. */
  readonly hold: () => Hold;
  readonly consumerOptions: ConsumerSettings & AddedSettings;
  readonly counts: () => Counts<SqsConsumerEvent['type']>;
}

/** What the wrapper of a message and that of a batch share. */
export function createOnce(subject: string, options: unknown, ofBatch: boolean): Once {
  const resolved = withOwnRetries(parseOptions(subject, sqsConsumerOptions(ofBatch), options));
  const { handleOnce, onFailed, signal } = resolved;
  const given = resolved.consumerOptions as ConsumerSettings;
  const { settings } = handleOnce;
  const { clock } = handlesOf(handleOnce);
  const events = createAdapterEvents(resolved);
  const queue = createQueue(given.sqs, given.queueUrl, clock);
  const added = addedSettings(given, settings.leaseMs);
  const visibilityTimeoutSeconds = added.visibilityTimeout;
  return {
    mayHandle: createQueueCheck({ queue, settings, events, visibilityTimeoutSeconds, onFailed }),
    processor: {
      consumer: consumerOf(resolved),
      deliveryOf: createQueueDelivery<MessageAttributeValue, SqsMessage, unknown>(
        { ...resolved, queueUrl: given.queueUrl },
        (letter) => queue.send(letter),
        events,
      ),
      ...{ signal, queue, events, clock },
    },
    hold: () => holdMessages(added, clock),
    consumerOptions: { ...given, ...added },
    counts: events.counts,
  };
}
