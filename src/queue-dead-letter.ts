import { deadLetterAttributes, type DeadLetterFacts, type TextAttribute } from './dead-letter-attributes.ts';

/** What a dead letter keeps of its original. */
export interface Original<Attribute> {
  readonly body: string | undefined;
  readonly messageId: string | undefined;
  readonly groupId: string | undefined;
  readonly attributes: Readonly<Record<string, Attribute>> | undefined;
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
  { body = '', messageId, groupId = 'handle-once', attributes = {} }: Original<Attribute>,
  facts: DeadLetterFacts,
  deadLetterQueueUrl: string,
): QueueDeadLetter<Attribute> {
  const fifo = {
    MessageGroupId: groupId,
    ...(messageId === undefined ? {} : { MessageDeduplicationId: messageId }),
  };
  return {
    QueueUrl: deadLetterQueueUrl,
    MessageBody: body,
    MessageAttributes: deadLetterAttributes(attributes, facts),
    ...(deadLetterQueueUrl.endsWith('.fifo') ? fifo : {}),
  };
}
