import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { type CopyIdentity, IDENTITY_ATTRIBUTE, writeIdentity } from '../../shared/sqs/copy-identity.ts';
import { fitsInQueue, OUR_ATTRIBUTES } from '../../shared/sqs/dead-letter-attributes.ts';
import { type InHandMessage, messageGroupId, type SqsMessage } from '../message.ts';

/** What goes back to the source: body and attributes as the sender wrote them, and one that says whose copy it is. */
export function copyOf(
  message: SqsMessage,
  identity: CopyIdentity,
): Required<Pick<SendMessageCommandInput, 'MessageBody' | 'MessageAttributes'>> {
  const { Body = '', MessageAttributes = {} } = message;
  const ours: readonly string[] = OUR_ATTRIBUTES;
  const own = Object.entries(MessageAttributes).filter(([name]) => !ours.includes(name));
  const value: MessageAttributeValue = { DataType: 'String', StringValue: writeIdentity(identity) };
  return {
    MessageBody: Body,
    MessageAttributes: { ...Object.fromEntries(own), [IDENTITY_ATTRIBUTE]: value },
  };
}

export function hasRoom({ MessageBody, MessageAttributes }: ReturnType<typeof copyOf>): boolean {
  return fitsInQueue(MessageBody ?? '', MessageAttributes ?? {});
}

/**
 * Where a copy goes. In a FIFO queue it keeps its group, and one that is sent again is the same message, until the
 * record was tried once more: then that message is used up.
 */
export function addressOf(
  { message, messageId }: InHandMessage,
  to: string,
  attempts: number,
): Pick<SendMessageCommandInput, 'QueueUrl' | 'MessageGroupId' | 'MessageDeduplicationId'> {
  if (!to.endsWith('.fifo')) return { QueueUrl: to };
  return {
    QueueUrl: to,
    MessageGroupId: messageGroupId(message) ?? 'handle-once',
    MessageDeduplicationId: `${messageId}-${attempts}`,
  };
}
