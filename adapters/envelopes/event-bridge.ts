import { type Envelope, envelope, type Opened, type Sealed } from './envelope.ts';
import { type Members, reader } from './read.ts';

const read = reader('an event of EventBridge', 'With an input transformer or path: leave eventBridge out.');

function open(sealed: Sealed): Opened<Members> {
  const document = read.document(sealed);
  const id = read.text(document, 'id');
  const source = read.text(document, 'source');
  const type = read.text(document, 'detail-type');
  const detail = read.object(document, 'detail');
  return { key: () => id, payload: () => detail, compared: () => ({ source, type, detail }) };
}

/**
 * EventBridge to SQS: the key is the `id` of the event, the payload its `detail`.
 *
 * The key dedupes what EventBridge delivers to a target more than once. It does not dedupe an event that was put on the
 * bus twice: each `PutEvents` gets its own id.
 *
 * @example
 * ```ts
 * const options = { client, queueUrl, handleOnce, ...eventBridge, schema: orderSchema };
 * const worker = createSqsWorker(options, async (detail) => ship(detail));
 * ```
 */
export const eventBridge: Envelope<Readonly<Partial<Record<string, unknown>>>> = envelope(open);
