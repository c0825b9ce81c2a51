import { expect, test } from 'vitest';
import { readKeyHeader } from '../../adapters/http/key-header.ts';

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';
const longest = 'k'.repeat(255);

test('a request without the header has no key', () => {
  expect(readKeyHeader(undefined, false)).toEqual({ kind: 'absent' });
});

test.each<[value: string, key: string]>([
  [`"${UUID}"`, UUID],
  ['"order 42, part 1"', 'order 42, part 1'],
  // Two headers, `"a` and `b"`, come as one.
  ['"a, b"', 'a, b'],
  ['" "', ' '],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  ['  "a"  ', 'a'],
  ['"a";v=1', 'a'],
  ['"a"; v; w="x;y"; z=?1; t=tok/en; b=:aGk=:; n=-1.5', 'a'],
  [`"${longest}"`, longest],
])('%s is a key in the form of the draft', (value, key) => {
  expect(readKeyHeader(value, true)).toEqual({ kind: 'key', key });
  expect(readKeyHeader(value, false)).toEqual({ kind: 'key', key });
});

test.each([UUID, 'a', 'order;42', 'dGVzdA==', String.raw`a\b`, longest])(
  'the bare %s is the same key as in quotes, unless the draft’s form alone is accepted',
  (value) => {
    expect(readKeyHeader(value, false)).toEqual({ kind: 'key', key: value });
    const inQuotes = `"${value.replaceAll('\\', String.raw`\\`)}"`;
    expect(readKeyHeader(inQuotes, false)).toEqual({ kind: 'key', key: value });
    expect(readKeyHeader(value, true)).toEqual({ kind: 'malformed' });
  },
);

test.each([
  '',
  ' ',
  '""',
  '"',
  '"a',
  'a"',
  'a"b',
  '"a" b',
  '"a"b',
  '"a", "b"',
  'a, b',
  'a,b',
  'first second',
  'first\tsecond',
  String.raw`"a\b"`,
  '"a\tb"',
  '"a";V=1',
  '"a";',
  '"ä"',
  'ä',
  '\u00a0',
  'k'.repeat(256),
  `"${'k'.repeat(256)}"`,
])('%j is malformed', (value) => {
  expect(readKeyHeader(value, false)).toEqual({ kind: 'malformed' });
  expect(readKeyHeader(value, true)).toEqual({ kind: 'malformed' });
});
