import type { Message } from '@aws-sdk/client-sqs';

/** A message as ReceiveMessage gives it. */
export type SqsMessage = Message;

/** A message in hand, with the times that say whether it is still ours. Times are monotonic milliseconds. */
export interface Delivery {
  readonly message: SqsMessage;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly receivedAt: number;
}

/** A message without these cannot be deleted or made visible: it did not come from ReceiveMessage. */
export function toDelivery(message: SqsMessage, receivedAt: number): Delivery {
  const { MessageId: messageId, ReceiptHandle: receiptHandle } = message;
  if (messageId === undefined || receiptHandle === undefined) {
    throw new TypeError(
      'the message has no MessageId or no ReceiptHandle: pass it as ReceiveMessage gave it',
    );
  }
  return { message, messageId, receiptHandle, receivedAt };
}

export function messageGroupId(message: SqsMessage): string | undefined {
  return message.Attributes?.MessageGroupId;
}
