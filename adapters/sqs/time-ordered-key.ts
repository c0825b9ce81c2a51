import { InvalidKeyError } from '../../src/index.ts';
import type { SqsMessage } from './message.ts';

/** Milliseconds since 1970, of one length until the year 2286: as text they sort as they do as numbers. */
const MILLISECONDS = /^\d{13}$/;

/**
 * A `key` that begins with the time when the message was sent, so that the records of one hour are stored together in
 * the table's index. The time and the `MessageId` after it are the same on every delivery.
 *
 * It is useful for a table of many millions of records, where each random key touches a different page of the index.
 * Choose it when a queue is new: messages in flight under their `MessageId` would get a different key.
 *
 * Throws `InvalidKeyError` on a message without a `SentTimestamp`: your own loop must request it.
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
