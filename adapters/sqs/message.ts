import type { Message } from '@aws-sdk/client-sqs';
import { InvalidOptionsError } from '../../src/index.ts';

/** A message as ReceiveMessage gives it. */
export type SqsMessage = Message;

/** A received message, with the times that say whether it is still ours. Times are monotonic milliseconds. */
export interface ReceivedMessage {
  readonly message: SqsMessage;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly receivedAt: number;
}

/** Throws `InvalidOptionsError` for a message that could not be deleted or made visible. */
export function toReceivedMessage(subject: string, message: SqsMessage, receivedAt: number): ReceivedMessage {
  const ids = idsOf(message);
  if (ids !== undefined) return { message, ...ids, receivedAt };
  const fault = 'must be a message as ReceiveMessage returns it, with MessageId and ReceiptHandle';
  throw new InvalidOptionsError(subject, [{ field: 'message', message: fault }]);
}

/** Undefined too for what throws when it is read. */
function idsOf(message: SqsMessage): Pick<ReceivedMessage, 'messageId' | 'receiptHandle'> | undefined {
  try {
    const { MessageId: messageId, ReceiptHandle: receiptHandle } = message;
    const isWhole = typeof messageId === 'string' && typeof receiptHandle === 'string';
    return isWhole ? { messageId, receiptHandle } : undefined;
  } catch {
    return undefined;
  }
}

export function messageGroupId(message: SqsMessage): string | undefined {
  return message.Attributes?.MessageGroupId;
}
