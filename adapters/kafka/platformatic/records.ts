import type { KafkaHeaders, KafkaMessage } from '../log/log-client.ts';
import type { NativeBatch, NativePartition, NativeRecord } from './native.ts';

/** Bits of a batch's attributes. */
const LOG_APPEND_TIME = 1 << 3;
const TRANSACTIONAL = 1 << 4;
const CONTROL = 1 << 5;

/** The messages of a partition from a position on, as other clients give them. */
export function* messagesOf(partition: NativePartition, from: bigint): Generator<KafkaMessage> {
  for (const batch of committedBatches(partition)) {
    for (const record of batch.records) {
      const offset = batch.firstOffset + BigInt(record.offsetDelta);
      // A fetch begins with the batch that has its position.
      if (offset >= from) yield messageOf(batch, record, offset);
    }
  }
}

/** The position behind all that came, of what is not delivered too. */
export function positionBehind({ records = [] }: NativePartition, from: bigint): bigint {
  const last = records.at(-1);
  if (last === undefined) return from;
  const position = behind(last);
  return position > from ? position : from;
}

/**
 * Without markers, and without what was written in transactions that were aborted. The client leaves some of that in:
 * where its marker has not come yet, and of all but the last of one producer.
 */
function* committedBatches({ records = [], abortedTransactions }: NativePartition): Generator<NativeBatch> {
  const begun = [...(abortedTransactions ?? [])].toSorted((one, other) =>
    one.firstOffset < other.firstOffset ? -1 : 1,
  );
  const aborted = new Set<bigint>();
  for (const batch of records) {
    while (begun[0] !== undefined && begun[0].firstOffset < behind(batch)) {
      aborted.add(begun[0].producerId);
      begun.shift();
    }
    if ((batch.attributes & CONTROL) !== 0) aborted.delete(batch.producerId);
    else if ((batch.attributes & TRANSACTIONAL) === 0 || !aborted.has(batch.producerId)) yield batch;
  }
}

function behind({ firstOffset, lastOffsetDelta }: NativeBatch): bigint {
  return firstOffset + BigInt(lastOffsetDelta) + 1n;
}

function messageOf(batch: NativeBatch, record: NativeRecord, offset: bigint): KafkaMessage {
  const { key, value, attributes, headers } = record;
  const isOfBroker = (batch.attributes & LOG_APPEND_TIME) !== 0;
  const timestamp = isOfBroker ? batch.maxTimestamp : batch.firstTimestamp + record.timestampDelta;
  return {
    ...{ key, value, attributes },
    timestamp: String(timestamp),
    offset: String(offset),
    headers: headersOf(headers),
  };
}

/** A list where a name came more than once, as kafkajs has it. A header can have no value. */
function headersOf(list: NativeRecord['headers']): KafkaHeaders {
  const headers = new Map<string, Buffer | Buffer[]>();
  for (const [name, value] of list as readonly [Buffer | null, Buffer][]) {
    const known = headers.get(String(name ?? ''));
    headers.set(String(name ?? ''), known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(headers);
}
