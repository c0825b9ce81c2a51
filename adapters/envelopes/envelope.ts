import { parseExactly } from '../../src/adapter-kit.ts';

/** The body of a message: text or bytes, or null for a tombstone of Kafka. */
export type EnvelopeBody = string | Uint8Array | null;

type Header = Uint8Array | string;

/** A message, as any surface has it: SQS and sqs-consumer, Kafka, both on Lambda, and your own with a `body`. */
export interface WrappedMessage {
  /** Of SQS. */
  readonly Body?: string | undefined;
  /** Of SQS on Lambda, and of your own messages. */
  readonly body?: EnvelopeBody | undefined;
  /** Of Kafka. */
  readonly value?: EnvelopeBody | undefined;
  /** Of Kafka. */
  readonly key?: Header | null | undefined;
  /** Of Kafka. */
  readonly headers?: Readonly<Record<string, Header | readonly Header[] | undefined>> | undefined;
  /** Of Kafka. */
  readonly offset?: string | undefined;
}

/**
 * Reads an envelope, as options of any surface: spread one into the options.
 *
 * All three throw `InvalidKeyError` for a message that is not in that envelope. The error names the member, and has no
 * part of the message. A surface refuses such a message like one without a key.
 */
export interface Envelope<Payload> {
  /** The identity of the event. */
  readonly key: (message: WrappedMessage, topic?: string, partition?: number) => string;
  /** The event without its envelope. It also throws what `JSON.parse` throws. */
  readonly parse: (body: EnvelopeBody, message?: WrappedMessage) => Payload;
  /** What must be the same each time that the event comes: its content, without the timestamps of the envelope. */
  readonly fingerprint: (body: EnvelopeBody, message?: WrappedMessage) => unknown;
}

/** A message that is to be opened. */
export interface Sealed {
  readonly body: EnvelopeBody;
  readonly message: WrappedMessage;
  /** Where it stands, as far as that is known. */
  readonly coordinates: readonly (string | number | undefined)[];
  /** Reads JSON. Where things are compared, with all digits of its numbers. */
  readonly read: (text: string) => unknown;
}

/** What was found in a message. */
export interface Opened<Payload> {
  readonly key: () => string;
  readonly payload: () => Payload;
  readonly compared: () => unknown;
}

/** Makes an envelope of what opens a message. */
/* @__NO_SIDE_EFFECTS__ */
export function envelope<Payload>(open: (sealed: Sealed) => Opened<Payload>): Envelope<Payload> {
  return Object.freeze({
    key: (message, topic, partition) =>
      open({
        body: message.Body ?? message.body ?? message.value ?? null,
        message,
        coordinates: [topic, partition, message.offset],
        read: parseExactly,
      }).key(),
    parse: (body, message = {}) => open({ body, message, coordinates: [], read: JSON.parse }).payload(),
    fingerprint: (body, message = {}) =>
      open({ body, message, coordinates: [], read: parseExactly }).compared(),
  } satisfies Envelope<Payload>);
}
