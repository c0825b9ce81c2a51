import {
  type Envelope,
  type EnvelopeBody,
  envelope,
  type Opened,
  type Sealed,
  type WrappedMessage,
} from './envelope.ts';
import { keyOf, reader } from './read.ts';

const read = reader('a CloudEvent', 'Put its attributes in the body, or in ce_ headers (Kafka).');

const JSON_TYPE = /^[\w.-]+\/([\w.-]+\+)?json\b/i;

function open(sealed: Sealed): Opened<unknown> {
  const { message } = sealed;
  if (headerOf(message, 'ce_specversion') !== undefined) return openBinary(sealed);
  const type = headerOf(message, 'content-type');
  if (type?.startsWith('application/cloudevents-batch') === true) {
    throw read.malformed('content-type', 'of one event: a batch is many');
  }
  return openStructured(sealed);
}

function openStructured(sealed: Sealed): Opened<unknown> {
  const document = read.document(sealed);
  read.text(document, 'specversion');
  const identity = ['source', 'id'].map((name) => read.text(document, name));
  const type = read.text(document, 'type');
  const { data, data_base64: base64 } = document;
  return {
    key: () => keyOf(identity),
    payload: () => (base64 === undefined ? data : Buffer.from(read.text(document, 'data_base64'), 'base64')),
    compared: () => ({ type, data, base64 }),
  };
}

function openBinary({ body, message, read: readJson }: Sealed): Opened<unknown> {
  const attributes = Object.fromEntries(
    ['ce_source', 'ce_id', 'ce_type'].map((name) => [name, headerOf(message, name)]),
  );
  const identity = ['ce_source', 'ce_id'].map((name) => read.text(attributes, name));
  read.text(attributes, 'ce_type');
  const type = headerOf(message, 'content-type');
  return {
    key: () => keyOf(identity),
    payload: () => (type === undefined || JSON_TYPE.test(type) ? jsonOf(body, readJson) : body),
    compared: () => body,
  };
}

function jsonOf(body: EnvelopeBody, readJson: Sealed['read']): unknown {
  if (body === null) return null;
  return readJson(typeof body === 'string' ? body : Buffer.from(body).toString());
}

/** Of a header that the message has more than once, the first. */
function headerOf({ headers }: WrappedMessage, name: string): string | undefined {
  const value = headers?.[name];
  const first = Array.isArray(value) ? (value as readonly (Uint8Array | string)[])[0] : value;
  if (first === undefined || typeof first === 'string') return first;
  return Buffer.from(first as Uint8Array).toString();
}

/**
 * CloudEvents 1.0 in structured mode (JSON), or in the binary mode of Kafka: the key is `source` and `id`, the payload
 * the data. Data that is not JSON is a text or bytes, as it came.
 *
 * The key dedupes what a broker delivers, or a producer sends, more than once: by the specification two events with the
 * same source and id are the same event. It does not dedupe data that a producer sends again as a new event.
 *
 * @example
 * ```ts
 * const options = { consumer, groupId, handleOnce, ...cloudEvents, schema: orderSchema } as const;
 * await consumer.run(onceEachKafkaMessage({ ...options, onFailed: 'acknowledge' }, ({ payload }) => ship(payload)));
 * ```
 */
export const cloudEvents: Envelope<unknown> = envelope(open);
