import { InvalidKeyError } from '../../src/index.ts';
import type { SqsMessage } from './message.ts';

/** Milliseconds since 1970, of one length until the year 2286: as text they sort as they do as numbers. */
const MILLISECONDS = /^\d{13}$/;

/**
 * A `key` that begins with the time when the message was sent, so that the records of one hour lie together in the
 * table's index. The time and the `MessageId` behind it are the same on every delivery.
 *
 * Worth it for a table of many millions of records, where keys in random order touch a page of the index each. Choose
 * it when a queue is new: to messages that are in flight under their `MessageId` it is another key.
 *
 * Throws `InvalidKeyError` on a message without a `SentTimestamp`: a loop of your own has to ask for it.
 *
 * @example
 * ```ts
 * const options = { client, queueUrl, handleOnce, schema: orderSchema, key: timeOrderedKey };
 * const worker = createSqsWorker(options, async (order) => ship(order));
 * ```
 */
export function timeOrderedKey(message: SqsMessage): string {
  const { MessageId: messageId, Attributes: attributes } = (message as SqsMessage | undefined | null) ?? {};
  const sentAt = attributes?.SentTimestamp;
  if (messageId === undefined || sentAt === undefined || !MILLISECONDS.test(sentAt)) {
    throw new InvalidKeyError(
      'the message has no MessageId or no SentTimestamp: receive it with ' +
        "MessageSystemAttributeNames: ['SentTimestamp']",
    );
  }
  return `${sentAt}-${messageId}`;
}
