import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { type ConsumerOptions, consumerOf, type EventSink } from '../../src/adapter-kit.ts';
import { createQueueDelivery, type QueueDeliveryOptions } from '../shared/sqs/queue-delivery.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { Processor } from './process-delivery.ts';
import type { Queue } from './queue.ts';

export function createProcessor<R>(
  options: ConsumerOptions & QueueDeliveryOptions<SqsMessage, R>,
  queue: Queue,
  events: EventSink<SqsEvent>,
): Processor<R> {
  const deliveryOf = createQueueDelivery<MessageAttributeValue, SqsMessage, R>(
    options,
    (letter) => queue.send(letter),
    events,
  );
  return { consumer: consumerOf(options), deliveryOf, queue, events };
}
