import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coordinatesOf, recordBytes } from '../../adapters/shared/kafka/log-identity.ts';
import { message } from './support/messages.ts';

describe('the place of a message', () => {
  test('is its topic, partition and offset', () => {
    expect(coordinatesOf('orders.v2-eu', 12, '9223372036854775807')).toBe(
      'orders.v2-eu-12-9223372036854775807',
    );
  });

  test('is no other message’s, whatever dashes and digits topics have', () => {
    const topic = fc.string({ unit: fc.constantFrom('-', '0', '1', '2', 'a', '.', '_'), minLength: 1 });
    const place = fc.tuple(topic, fc.nat({ max: 30 }), fc.nat({ max: 30 }).map(String));
    fc.assert(
      fc.property(place, place, (one, other) => {
        fc.pre(one.join('|') !== other.join('|'));
        expect(coordinatesOf(...one)).not.toBe(coordinatesOf(...other));
      }),
    );
    expect(coordinatesOf('a-1', 2, '3')).not.toBe(coordinatesOf('a', 1, '23'));
    expect(coordinatesOf('a-1-2', 3, '4')).not.toBe(coordinatesOf('a-1', 2, '34'));
  });
});

describe('the bytes of a record', () => {
  // Computed by hand. A change here would refuse the redelivery of every message on record.
  test.each([
    ['key and value', '17', 'k', 'value', '00000002 00000001 00000005 3137 6b 76616c7565'],
    ['no key', '17', null, 'value', '00000002 ffffffff 00000005 3137 76616c7565'],
    ['an empty key', '17', '', 'value', '00000002 00000000 00000005 3137 76616c7565'],
    ['a tombstone', '17', 'k', null, '00000002 00000001 ffffffff 3137 6b'],
    ['nothing', '-1', null, null, '00000002 ffffffff ffffffff 2d31'],
    ['an umlaut', '0', 'ä', '', '00000001 00000002 00000000 30 c3a4'],
  ])('are the same in every version: %s', (_, timestamp, key, value, hex) => {
    const bytes = recordBytes(message(0, { timestamp, key, value }));
    expect(bytes.toString('hex')).toBe(hex.replaceAll(' ', ''));
  });

  test('are those of no other timestamp, key and value', () => {
    const bytes = fc.option(
      fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array)),
      { freq: 3 },
    );
    const record = fc.record({ timestamp: fc.nat({ max: 200 }).map(String), key: bytes, value: bytes });
    const plain = ({
      timestamp,
      key,
      value,
    }: {
      timestamp: string;
      key: Buffer | null;
      value: Buffer | null;
    }) => JSON.stringify([timestamp, key?.toString('hex') ?? null, value?.toString('hex') ?? null]);
    fc.assert(
      fc.property(record, record, (one, other) => {
        const fetched = message(0);
        const areSame = recordBytes({ ...fetched, ...one }).equals(recordBytes({ ...fetched, ...other }));
        expect(areSame).toBe(plain(one) === plain(other));
      }),
      { numRuns: 500 },
    );
  });

  test('tell apart what moves bytes between timestamp, key and value', () => {
    const variants = [
      { timestamp: '12', key: '3', value: '4' },
      { timestamp: '1', key: '23', value: '4' },
      { timestamp: '12', key: '', value: '34' },
      { timestamp: '12', key: null, value: '34' },
      { timestamp: '12', key: '34', value: null },
      { timestamp: '12', key: '34', value: '' },
    ].map((parts) => recordBytes(message(0, parts)).toString('hex'));
    expect(new Set(variants).size).toBe(variants.length);
  });

  test('have nothing of the place, the attributes and the headers', () => {
    const one = { ...message(1), headers: { trace: 'a' } };
    const other = { ...message(2), attributes: 7 };
    expect(recordBytes(one)).toEqual(recordBytes(other));
  });
});
