import { deadLetterAttributes, type DeadLetterFacts, type TextAttribute } from './dead-letter-attributes.ts';

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

/**
 * The copy that goes to the dead-letter queue: the original body and attributes, and why it is there.
 *
 * On a FIFO queue the copy keeps its group, and a copy sent again is the same message.
 */
export function queueDeadLetter<Attribute>(
  { Body = '', MessageId, Attributes, MessageAttributes = {} }: Original<Attribute>,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
): QueueDeadLetter<Attribute> {
  const fifo = {
    MessageGroupId: Attributes?.MessageGroupId ?? 'handle-once',
    ...(MessageId === undefined ? {} : { MessageDeduplicationId: MessageId }),
  };
  return {
    QueueUrl: deadLetterQueueUrl,
    MessageBody: Body,
    MessageAttributes: deadLetterAttributes(MessageAttributes, facts),
    ...(deadLetterQueueUrl.endsWith('.fifo') ? fifo : {}),
  };
}
