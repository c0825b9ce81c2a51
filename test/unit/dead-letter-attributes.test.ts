import { expect, test } from 'vitest';
import { writeIdentity } from '../../adapters/shared/sqs/copy-identity.ts';
import { deadLetterAttributes } from '../../adapters/shared/sqs/dead-letter-attributes.ts';

const facts = { scope: 'orders', key: 'key-1', errorText: 'TerminalError: no', attempts: 1 };
const MAX_BYTES = 1_048_576;
const text = (StringValue: string) => ({ DataType: 'String', StringValue });

function sizeOf(
  attributes: Readonly<Record<string, { DataType?: string | undefined; StringValue?: string | undefined }>>,
): number {
  return Object.entries(attributes)
    .flatMap(([name, { DataType = '', StringValue = '' }]) => [name, DataType, StringValue])
    .reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

test('values of ours are bounded, whatever a key or an error is', () => {
  const long = 'ü'.repeat(5_000);
  const { attributes, dropped } = deadLetterAttributes(
    '1',
    {},
    { ...facts, scope: long, key: long, errorText: long },
  );
  expect(dropped).toEqual([]);
  for (const name of ['HandleOnceScope', 'HandleOnceKey', 'HandleOnceError']) {
    expect(attributes[name]?.StringValue).toBe(`${'ü'.repeat(999)}…`);
  }
  const keyOf = (key: string) =>
    deadLetterAttributes('1', {}, { ...facts, key }).attributes['HandleOnceKey']?.StringValue;
  expect([keyOf('ü'.repeat(1_000)), keyOf('')]).toEqual(['ü'.repeat(1_000), '\ufffd']);
});

test('what they weigh is counted in bytes: all fit to the last byte, and one more drops the last that fits not', () => {
  const { attributes } = deadLetterAttributes('', {}, { ...facts, key: '🔑' });
  const room = MAX_BYTES - sizeOf(attributes);
  const fitting = deadLetterAttributes('x'.repeat(room), {}, { ...facts, key: '🔑' });
  expect(fitting.dropped).toEqual([]);
  const tooLong = deadLetterAttributes('x'.repeat(room + 1), {}, { ...facts, key: '🔑' });
  expect(tooLong.dropped).toEqual(['HandleOnceAttempts']);
});

test.each([7, 8, 9])(
  'a refused message with %i attributes of its sender says that it was refused',
  (count) => {
    const own = Object.fromEntries(Array.from({ length: count }, (_, n) => [`Own${n}`, text(String(n))]));
    const { attributes } = deadLetterAttributes('1', own, { ...facts, attempts: 0 });
    expect(Object.keys(attributes)).toHaveLength(10);
    expect(attributes['HandleOnceAttempts']).toEqual({ DataType: 'Number', StringValue: '0' });
  },
);

test('binary attributes of the original count too', () => {
  const original = { Raw: { DataType: 'Binary', BinaryValue: new Uint8Array(1_000) } };
  const body = 'x'.repeat(MAX_BYTES - 1_000 - 'RawBinary'.length);
  expect(deadLetterAttributes(body, original, facts)).toEqual({
    attributes: original,
    dropped: ['HandleOnceScope', 'HandleOnceKey', 'HandleOnceError', 'HandleOnceAttempts'],
  });
});

test('of a dead letter that was sent back and failed again, ours of the first time are replaced', () => {
  const own = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`Own${n}`, text(String(n))]));
  const first = deadLetterAttributes('1', own, { ...facts, errorText: 'Error: first' });
  const second = deadLetterAttributes('1', first.attributes, { ...facts, errorText: 'Error: second' });
  expect(second.dropped).toEqual([]);
  expect(Object.keys(second.attributes)).toHaveLength(10);
  expect(second.attributes['HandleOnceError']?.StringValue).toBe('Error: second');
  const third = deadLetterAttributes('x'.repeat(MAX_BYTES - sizeOf(own)), second.attributes, facts);
  expect(third.attributes).toEqual(own);
});

test.each([
  [writeIdentity({ scope: 'orders', messageId: 'original' }), true],
  [writeIdentity({ scope: 'mail', messageId: 'original' }), false],
  ['no identity', false],
])('the identity of a copy is kept where its record is in the scope: %s, %s', (identity, isKept) => {
  const HandleOnceIdentity = text(identity);
  const { attributes } = deadLetterAttributes('1', { HandleOnceIdentity }, facts);
  expect('HandleOnceIdentity' in attributes).toBe(isKept);
});
