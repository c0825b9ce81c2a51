import * as z from 'zod/mini';
import { lazily, satisfying } from '../../src/adapter-kit.ts';
import { lambdaContext } from './deadline.ts';

/** A record of Lambda's Kafka event, Amazon MSK or self-managed, by shape: those of `@types/aws-lambda` fit. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  /** Base64; absent when the message has none. */
  readonly key?: string | null | undefined;
  /** Base64; absent for a tombstone. */
  readonly value?: string | null | undefined;
  /** One name and its bytes each, as signed or unsigned numbers. */
  readonly headers?: readonly Readonly<Record<string, readonly number[]>>[] | undefined;
}

/** The event of Lambda's Kafka event source, by shape: those of `@types/aws-lambda` fit. */
export interface LambdaKafkaEvent {
  /** By topic and partition: `orders-0`. */
  readonly records: Readonly<Record<string, readonly KafkaRecord[]>>;
}

/** How the answer identifies a record to Lambda: by the event's own name for its partition, such as `orders-0`. */
export interface KafkaItemIdentifier {
  partition: string;
  offset: number;
}

/** The records that Lambda delivers again. */
export interface KafkaResponse {
  batchItemFailures: { itemIdentifier: KafkaItemIdentifier }[];
}

/** A message, decoded, in the form that kafkajs gives one. */
export interface LambdaKafkaMessage {
  /** Null where the producer gave none. */
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  /** Milliseconds since 1970, as text. */
  readonly timestamp: string;
  /** A whole number, as text. */
  readonly offset: string;
  /** A list where a header occurs more than once. */
  readonly headers: Readonly<Record<string, Buffer | Buffer[]>>;
}

/** What Lambda calls the function with. Throws `InvalidOptionsError` for anything else. */
export const kafkaInvocation = lazily(() =>
  z.object({
    event: z.looseObject(
      {
        records: satisfying<LambdaKafkaEvent['records']>(
          (value) => records().safeParse(value).success,
          'the lists of records of a Kafka event source, by topic and partition',
        ),
      },
      { error: 'must be the event of a Kafka event source' },
    ),
    context: lambdaContext(),
  }),
);

/** Every field that is read: Lambda may add others. */
const record = lazily(() =>
  z.looseObject({
    topic: z.string(),
    partition: z.number(),
    offset: z.number(),
    timestamp: z.number(),
    key: z.nullish(z.string()),
    value: z.nullish(z.string()),
    headers: z.nullish(z.array(z.record(z.string(), z.array(z.number())))),
  }),
);

const records = lazily(() => z.record(z.string(), z.array(record())));

export function toMessage({ key, value, timestamp, offset, headers }: KafkaRecord): LambdaKafkaMessage {
  return {
    key: fromBase64(key),
    value: fromBase64(value),
    timestamp: String(timestamp),
    offset: String(offset),
    headers: headersOf(headers ?? []),
  };
}

function fromBase64(text: string | null | undefined): Buffer | null {
  return text === null || text === undefined ? null : Buffer.from(text, 'base64');
}

function headersOf(
  list: readonly Readonly<Record<string, readonly number[]>>[],
): LambdaKafkaMessage['headers'] {
  const headers = new Map<string, Buffer[]>();
  for (const [name, bytes] of list.flatMap((entry) => Object.entries(entry))) {
    headers.set(name, [...(headers.get(name) ?? []), Buffer.from(bytes)]);
  }
  return Object.fromEntries(
    Array.from(headers, ([name, values]) => {
      const [first, ...others] = values;
      return [name, first !== undefined && others.length === 0 ? first : values];
    }),
  );
}
