import type { Message } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { lazily, parseOptions, satisfying } from '../../src/adapter-kit.ts';

/** A message as ReceiveMessage gives it. */
export type SqsMessage = Message;

/** A message in hand, with the times that say whether it is still ours. Times are monotonic milliseconds. */
export interface InHandMessage {
  readonly message: SqsMessage;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly receivedAt: number;
}

const received = lazily(() =>
  z.object({
    message: satisfying<SqsMessage & { MessageId: string; ReceiptHandle: string }>((value) => {
      const { MessageId, ReceiptHandle } = value as SqsMessage;
      return typeof MessageId === 'string' && typeof ReceiptHandle === 'string';
    }, 'a message as ReceiveMessage gave it, with MessageId and ReceiptHandle'),
  }),
);

/** Throws `InvalidOptionsError` for a message that could not be deleted or made visible. */
export function toInHandMessage(subject: string, given: SqsMessage, receivedAt: number): InHandMessage {
  const { message } = parseOptions(subject, received(), { message: given });
  const { MessageId: messageId, ReceiptHandle: receiptHandle } = message;
  return { message, messageId, receiptHandle, receivedAt };
}

export function messageGroupId(message: SqsMessage): string | undefined {
  return message.Attributes?.MessageGroupId;
}
