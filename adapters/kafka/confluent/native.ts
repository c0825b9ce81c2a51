import { isError } from '../../../src/adapter-kit.ts';
import { errorOf } from '../log/error-of.ts';
import type { KafkaMessage } from '../log/log-client.ts';

/** A message as the client's callback API gives it. */
export interface ConfluentMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key?: Buffer | string | null | undefined;
  readonly value: Buffer | null;
  readonly timestamp?: number | undefined;
  readonly headers?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A partition and a position. */
export interface ConfluentPlace {
  topic: string;
  partition: number;
  offset: number;
}

/** An error of librdkafka. */
export interface RdKafkaError extends Error {
  readonly code: number;
}

/** Codes of librdkafka, as its header file has them. Those above 0 are the broker's. */
export const CODES = {
  assignPartitions: -175,
  fatal: -150,
  state: -172,
  illegalGeneration: 22,
  unknownMember: 25,
  rebalanceInProgress: 27,
};

/** As librdkafka names the end of a partition. */
export const END = -1;

type Done = (error: unknown) => void;

/** A consumer of the client's callback API, with what its types lack. */
export interface NativeConsumer {
  subscribe(topics: string[]): unknown;
  unsubscribe(): unknown;
  /** Where no offset is given, from what the group has committed. */
  assign(partitions: { topic: string; partition: number; offset?: number }[]): unknown;
  /** Without an offset where the group has committed nothing. */
  committed(
    partitions: { topic: string; partition: number }[],
    timeoutMs: number,
    done: (error: unknown, partitions: { topic: string; partition: number; offset?: number }[]) => void,
  ): unknown;
  unassign(): unknown;
  pause(partitions: { topic: string; partition: number }[]): unknown;
  resume(partitions: { topic: string; partition: number }[]): unknown;
  getWatermarkOffsets(
    topic: string,
    partition: number,
  ): { readonly lowOffset: number; readonly highOffset: number };
  setDefaultConsumeTimeout(milliseconds: number): void;
  on(event: 'data', listener: (message: ConfluentMessage) => void): unknown;
  on(event: 'partition.eof', listener: (end: ConfluentPlace) => void): unknown;
  /** The broker has answered a commit. */
  on(event: 'offset.commit', listener: (error: unknown, places: ConfluentPlace[]) => void): unknown;
  on(event: 'event.error' | 'error', listener: (error: unknown) => void): unknown;
  connect(options: object, done: Done): unknown;
  disconnect(done: Done): unknown;
  /** Calls back when it has taken the commit in, before it sends it. */
  commitCb(places: ConfluentPlace[], done: Done): unknown;
  consume(count: number, done: (error: unknown, messages: readonly unknown[]) => void): void;
  seek(place: ConfluentPlace, timeoutMs: number, done: Done): unknown;
}

/** Calls one of its methods that end with a callback. */
export function called(call: (done: Done) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (error === null || error === undefined) resolve();
      else reject(errorOf(error));
    });
  });
}

export function codeOf(error: unknown): unknown {
  return isError(error) && 'code' in error ? error.code : undefined;
}

const NO_TIMESTAMP = -1;

/** A message as all clients give it. */
export function kafkaMessageOf(message: ConfluentMessage): KafkaMessage {
  const { key = null, value, timestamp = NO_TIMESTAMP, offset, headers = [] } = message;
  return {
    key: typeof key === 'string' ? Buffer.from(key) : key,
    value,
    timestamp: String(timestamp),
    // The client does not give them.
    attributes: 0,
    offset: String(offset),
    headers: headersOf(headers),
  };
}

type Header = Buffer | string;

/** A list where a name came more than once, as kafkajs has it. */
function headersOf(list: readonly Readonly<Record<string, unknown>>[]): KafkaMessage['headers'] {
  const headers = new Map<string, Header | Header[]>();
  for (const [name, value] of list.flatMap((one) => Object.entries(one)) as [string, Header][]) {
    const known = headers.get(name);
    if (known === undefined) headers.set(name, value);
    else headers.set(name, Array.isArray(known) ? [...known, value] : [known, value]);
  }
  return Object.fromEntries(headers);
}
