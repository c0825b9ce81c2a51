import { type Counts, createEventSink, createQueueCall, parseOptions } from '../../src/adapter-kit.ts';
import { addedSettings, type AddedSettings, type ConsumerSettings } from './consumer-settings.ts';
import type { SqsConsumerEvent } from './events.ts';
import { sqsConsumerOptions } from './options.ts';
import type { Processor } from './process-message.ts';
import { createQueue } from './queue.ts';
import { checkQueue } from './queue-check.ts';

export interface Once {
  /** Looks at the queue with the first messages: a consumer that is made need not be started. Nothing waits for it. */
  readonly onReceived: () => void;
  readonly processor: Processor;
  readonly consumerOptions: ConsumerSettings & AddedSettings;
  readonly counts: () => Counts<SqsConsumerEvent['type']>;
}

/** What the wrapper of a message and that of a batch share. */
export function createOnce(subject: string, options: object, ofBatch: boolean): Once {
  const resolved = parseOptions(subject, sqsConsumerOptions(ofBatch), options);
  const { handleOnce, key, handler, onFailed, signal } = resolved;
  const given = resolved.consumerOptions as ConsumerSettings;
  const { settings } = handleOnce;
  const events = createEventSink(resolved.onEvent);
  const queue = createQueue(given.sqs, given.queueUrl);
  const call = createQueueCall(resolved);
  let isChecked = false;
  return {
    onReceived() {
      if (!isChecked) void checkQueue(queue, settings, events);
      isChecked = true;
    },
    processor: { call, scope: settings.scope, key, handler, onFailed, signal, queue, events },
    consumerOptions: { ...given, ...addedSettings(given, settings.leaseMs) },
    counts: events.counts,
  };
}
