import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnhashablePayloadError } from '../../src/index.ts';
import { fingerprint } from '../../src/fingerprint.ts';

const cycle: unknown[] = [];
cycle.push({ cycle });

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

describe('the fingerprint of a payload', () => {
  // Computed by another implementation. A change here would refuse the redelivery of every message on record.
  it.each<[string, unknown, string]>([
    ['an empty text', '', '1658fae457c16fc18f3f2d8e1c2a5b3e06ec32cf5d72e42e1d894f86cd996221'],
    ['a JSON text', '{"a":1}', 'f55368a1907e1d40743cd2479fa93b7a9e323093125fcb803ab2a2c014312056'],
    ['a text', 'naïve \u{1f600}', '4832ac8a846348fa0bb8c55ba3920983c04cfe293505893d6d482a6e32d270fb'],
    ['no bytes', new Uint8Array(), 'c1b4abcf66af3a4307e5a8f3046f232b2271dc98d9ff467fb8c78d9591f12134'],
    ['bytes', Uint8Array.of(0, 255, 1), 'b7c760626172946b18c416c266e5e820e4547a693421c82d5ae373cbe5037473'],
    [
      'a buffer',
      Buffer.from([0, 255, 1]),
      'b7c760626172946b18c416c266e5e820e4547a693421c82d5ae373cbe5037473',
    ],
    ['a number', 1, '50ad2ada52a33005f4df7febbd015c815b0721a607ef5d52a2de112cda083074'],
    ['null', null, '47ae1fc702976ed32c35f337b5efb6849efbdb8a9d5371619636a1f352fe985d'],
    ['undefined', undefined, '75df8a4be68746fd288fc587e8541e76e3b970eccddf9fd702366aae4608987d'],
    ['an empty list', [], '9c6fe266b255b7cac32a0033af56374b363f0bfe8c73f14fb4fb47edd7d4c8d5'],
    ['an empty object', {}, '62565c703ffefe54c575f50705c6243bf56aae2f5760123b11f464f3badb1e74'],
    [
      'an object',
      { b: [true, null, 'x'], a: 1, left: undefined },
      '60fb4b901b6c7c7378bbb14ac55b08ced9babe82367995886438a6addd120673',
    ],
    [
      'a nested object',
      { z: 'é', nested: { y: 2, x: 1 } },
      '04f22e970ee8f0d40043ad4332f4e9c72e57702eb7fdb6a57dc7a695a35b54c0',
    ],
    [
      'a date',
      new Date(Date.UTC(2020, 0, 2, 3, 4, 5)),
      'ee778b6cf893e9081b655d7e31e331783002be8695db3b856fd3e1b957f39452',
    ],
  ])('of %s never changes', (_, payload, digest) => {
    expect(fingerprint(payload)).toBe(`01${digest}`);
  });

  it('does not depend on the order in which objects were built', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        expect(fingerprint(reversed(payload))).toBe(fingerprint(payload));
      }),
    );
  });

  it('keeps different JSON values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(fingerprint(one) === fingerprint(other)).toBe(canonical(one) === canonical(other));
      }),
    );
  });

  it('keeps a text, the bytes of the text and the value that the text spells apart', () => {
    const forms = ['1', Buffer.from('1'), 1, [1], 'json:1', 'text:1', 'bytes:1'];
    expect(new Set(forms.map(fingerprint))).toHaveProperty('size', forms.length);
  });

  it.each<[string, unknown]>([
    ['a cycle', cycle],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('secret');
        },
      },
    ],
    [
      'a getter that throws',
      {
        get card(): string {
          throw new Error('secret');
        },
      },
    ],
  ])('cannot be made of %s', (_, payload) => {
    expect(() => fingerprint(payload)).toThrow(UnhashablePayloadError);
    expect(() => fingerprint(payload)).toThrow(/pass the message body as text or bytes/);
    expect(() => fingerprint(payload)).not.toThrow(/secret/);
  });
});

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
