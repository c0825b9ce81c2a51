import { type DeadLetterFacts, type EventSink, isError } from '../../../src/adapter-kit.ts';
import { type Warning, warn } from '../warn.ts';
import {
  deadLetterAttributes,
  type MeasurableAttribute,
  OUR_ATTRIBUTES,
  type TextAttribute,
  withoutOurs,
} from './dead-letter-attributes.ts';
import { isFifoQueue } from './queue-settings.ts';

/** A message as a receive gives it, as far as a dead letter keeps it. */
export interface Original<Attribute> {
  readonly Body?: string | undefined;
  readonly MessageId?: string | undefined;
  readonly Attributes?: { readonly MessageGroupId?: string | undefined } | undefined;
  readonly MessageAttributes?: Readonly<Record<string, Attribute>> | undefined;
}

/** A message as queues of AWS take it. */
export interface QueueDeadLetter<Attribute> {
  readonly QueueUrl: string;
  readonly MessageBody: string;
  readonly MessageAttributes: Record<string, Attribute | TextAttribute>;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

export type SendDeadLetter<Attribute> = (deadLetter: QueueDeadLetter<Attribute>) => Promise<unknown>;

/** How AWS refuses a message for its size, and ElasticMQ. */
const TOO_LONG = /must be shorter than \d+ bytes|MessageTooLong/;

/**
 * Sends a copy to a dead-letter queue: the original body and attributes, and why it is there. Resolves with the names
 * of those of our attributes that it was sent without.
 *
 * On a FIFO queue the copy keeps its group, and a copy sent again is the same message. A queue can take less than SQS
 * does: what it refuses for its size is sent once more without any of ours.
 */
export async function sendDeadLetter<Attribute extends MeasurableAttribute>(
  original: Original<Attribute>,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
  send: SendDeadLetter<Attribute>,
): Promise<readonly string[]> {
  const { Body = '', MessageAttributes = {} } = original;
  const { attributes, dropped } = deadLetterAttributes(Body, MessageAttributes, facts);
  const deadLetter = { ...addressOf(original, deadLetterQueueUrl, original.MessageId), MessageBody: Body };
  try {
    await send({ ...deadLetter, MessageAttributes: attributes });
    return dropped;
  } catch (error) {
    if (dropped.length === OUR_ATTRIBUTES.length || !isTooLong(error)) throw error;
    await send({ ...deadLetter, MessageAttributes: withoutOurs(MessageAttributes, facts.scope) });
    return OUR_ATTRIBUTES;
  }
}

type DroppedAttributesWarning = Warning<'DEAD_LETTER_ATTRIBUTES_DROPPED'>;

/** The same by one `send`. It warns of the first that lacks some of our attributes; the events name them for each. */
export function createSendDeadLetter<Attribute extends MeasurableAttribute>(
  send: SendDeadLetter<Attribute>,
  events: Pick<EventSink<DroppedAttributesWarning & { readonly type: 'warning' }>, 'emit'>,
) {
  let warned = false;
  return async (
    original: Original<Attribute>,
    facts: DeadLetterFacts,
    { deadLetterQueueUrl }: { readonly deadLetterQueueUrl: string },
  ) => {
    const dropped = await sendDeadLetter(original, facts, deadLetterQueueUrl, send);
    if (warned || dropped.length === 0) return dropped;
    warned = true;
    const message =
      `a dead letter was sent without ${dropped.join(', ')}: with the body and attributes of its original it would ` +
      'exceed 10 attributes, or the size that the dead-letter queue takes. The record has its scope, key and error';
    warn({ warning: 'DEAD_LETTER_ATTRIBUTES_DROPPED', message }, events);
    return dropped;
  };
}

/** Where a copy goes. In a FIFO queue it keeps its group, and one that is sent with the same id is the same message. */
export function addressOf(
  { Attributes }: Pick<Original<unknown>, 'Attributes'>,
  QueueUrl: string,
  MessageDeduplicationId: string | undefined,
) {
  if (!isFifoQueue(QueueUrl)) return { QueueUrl };
  return {
    QueueUrl,
    MessageGroupId: Attributes?.MessageGroupId ?? 'handle-once',
    ...(MessageDeduplicationId === undefined ? {} : { MessageDeduplicationId }),
  };
}

export function isTooLong(error: unknown): boolean {
  return isError(error) && TOO_LONG.test(`${error.name} ${error.message}`);
}
