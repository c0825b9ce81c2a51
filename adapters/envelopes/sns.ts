import { type Envelope, envelope, type Opened, type Sealed } from './envelope.ts';
import { reader, type Reader } from './read.ts';

/** What a message should be that comes from SNS. */
export const NOTIFICATION = 'a notification of SNS';

const ofSns = reader(NOTIFICATION, 'With raw message delivery: leave sns out.');

/** What was published, as text, and its id. `read` says what to do about another message. */
export function openSns(sealed: Sealed, read: Reader): { readonly messageId: string; readonly text: string } {
  const document = read.document(sealed);
  if (document['Type'] !== 'Notification') throw read.malformed('Type', "'Notification'");
  const text = document['Message'];
  if (typeof text !== 'string') throw read.malformed('Message', 'a string');
  return { messageId: read.text(document, 'MessageId'), text };
}

function open(sealed: Sealed): Opened<unknown> {
  const { messageId, text } = openSns(sealed, ofSns);
  return { key: () => messageId, payload: () => sealed.read(text), compared: () => text };
}

/**
 * SNS to SQS: the key is the `MessageId` of SNS, the payload the JSON of `Message`.
 *
 * The key dedupes what SNS delivers to the queue more than once. It does not dedupe a message that was published twice:
 * it has two ids.
 *
 * @example
 * ```ts
 * const options = { client, queueUrl, handleOnce, ...sns, schema: orderSchema };
 * const worker = createSqsWorker(options, async (order) => ship(order));
 * ```
 */
export const sns: Envelope<unknown> = envelope(open);
