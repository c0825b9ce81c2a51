import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { type CopyIdentity, IDENTITY_ATTRIBUTE, writeIdentity } from '../../shared/sqs/copy-identity.ts';
import { withoutOurs } from '../../shared/sqs/dead-letter-attributes.ts';
import type { SqsMessage } from '../message.ts';

/** What goes back to the source: body and attributes as the sender wrote them, and one that says whose copy it is. */
export function copyOf({ Body = '', MessageAttributes = {} }: SqsMessage, identity: CopyIdentity) {
  const value: MessageAttributeValue = { DataType: 'String', StringValue: writeIdentity(identity) };
  return {
    MessageBody: Body,
    MessageAttributes: { ...withoutOurs(MessageAttributes, identity.scope), [IDENTITY_ATTRIBUTE]: value },
  };
}
