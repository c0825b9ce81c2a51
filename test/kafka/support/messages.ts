import type { KafkaMessage } from 'handle-once/kafka';

interface Parts {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly timestamp?: string;
}

/** A message as fetched; a text stands for its UTF-8 bytes. */
export function message(
  offset: number | string,
  { key = null, value = 'v', timestamp = '1700000000000' }: Parts = {},
): KafkaMessage {
  return {
    key: bytesOf(key),
    value: bytesOf(value),
    timestamp,
    attributes: 0,
    offset: String(offset),
    headers: {},
  };
}

function bytesOf(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text);
}
