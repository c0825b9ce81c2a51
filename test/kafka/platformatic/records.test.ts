import { describe, expect, test } from 'vitest';
import type { NativeBatch, NativePartition } from '../../../adapters/kafka/platformatic/native.ts';
import { messagesOf, positionBehind } from '../../../adapters/kafka/platformatic/records.ts';
import { batchOf } from './support/fake-package.ts';

const TRANSACTIONAL = 16;
const MARKER = 16 + 32;
const LOG_APPEND_TIME = 8;

function partitionOf(records: NativeBatch[], more: Partial<NativePartition> = {}): NativePartition {
  return { partitionIndex: 0, errorCode: 0, highWatermark: 100n, records, ...more };
}

function offsetsOf(partition: NativePartition, from = 0n): string[] {
  return [...messagesOf(partition, from)].map(({ offset }) => offset);
}

test('a message is what other clients make of it', () => {
  const trace = Buffer.from('trace');
  const record = {
    attributes: 3,
    timestampDelta: 7n,
    offsetDelta: 2,
    key: Buffer.from('k'),
    value: Buffer.alloc(0),
    headers: [
      [trace, Buffer.from('a')],
      [trace, Buffer.from('b')],
      [Buffer.from('none'), null],
    ] as const,
  };
  const batch = { firstTimestamp: 1_000n, maxTimestamp: 9_000n, lastOffsetDelta: 2, records: [record] };
  const message = {
    ...{ key: Buffer.from('k'), value: Buffer.alloc(0), timestamp: '1007', attributes: 3, offset: '12' },
    headers: { trace: [Buffer.from('a'), Buffer.from('b')], none: null },
  };
  expect([...messagesOf(partitionOf([batchOf(10, batch)]), 0n)]).toEqual([message]);
  // Where the broker stamps them, all of a batch have its time.
  const stamped = partitionOf([batchOf(10, { ...batch, attributes: LOG_APPEND_TIME })]);
  expect([...messagesOf(stamped, 0n)]).toEqual([{ ...message, timestamp: '9000' }]);
});

test('what stands before the position in its batch is left out, and the position is behind the last batch', () => {
  const [one, two] = [batchOf(4), batchOf(6, { lastOffsetDelta: 3 })];
  expect(offsetsOf(partitionOf([one, two]), 5n)).toEqual(['6']);
  expect(positionBehind(partitionOf([one, two]), 5n)).toBe(10n);
  expect(positionBehind(partitionOf([one]), 7n)).toBe(7n);
  expect(positionBehind(partitionOf([]), 7n)).toBe(7n);
});

describe('transactions', () => {
  const written = (offset: number, producerId: bigint) =>
    batchOf(offset, { attributes: TRANSACTIONAL, producerId });
  const marker = (offset: number, producerId: bigint) => batchOf(offset, { attributes: MARKER, producerId });

  test('what was committed is delivered, and markers are not', () => {
    expect(offsetsOf(partitionOf([written(0, 1n), marker(1, 1n), batchOf(2)]))).toEqual(['0', '2']);
  });

  test('of each that was aborted nothing is delivered, also of several of one producer', () => {
    const records = [
      ...[written(0, 1n), marker(1, 1n), written(2, 1n), written(3, 2n), marker(4, 1n)],
      ...[written(5, 1n), marker(6, 1n), marker(7, 2n)],
    ];
    const abortedTransactions = [
      { producerId: 1n, firstOffset: 2n },
      { producerId: 1n, firstOffset: 0n },
    ];
    expect(offsetsOf(partitionOf(records, { abortedTransactions }))).toEqual(['3', '5']);
  });

  test('of one that was aborted nothing is delivered where its marker comes with the next fetch', () => {
    const abortedTransactions = [{ producerId: 1n, firstOffset: 1n }];
    const records = [batchOf(0), written(1, 1n), batchOf(2), written(3, 1n)];
    expect(offsetsOf(partitionOf(records, { abortedTransactions }))).toEqual(['0', '2']);
  });
});
