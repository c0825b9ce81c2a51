import { InvalidOptionsError } from 'handle-once';
import { expect, test } from 'vitest';
import { callerIn, recordKey } from '../../adapters/http/record-key.ts';

test('a key has the hash of its caller in it, and never meets another caller’s', () => {
  const callers = [['a'], ['b'], ['a', 'b'], ['ab'], ['a', 'b', 'c'], ['ab', 'c'], ['a', 'bc'], ['-'], null];
  const keys = callers.map((caller) => recordKey(caller, 'k'));
  expect(new Set(keys).size).toBe(callers.length);
  expect(recordKey(['a'], 'k')).toMatch(/^[0-9a-f]{64}:k$/);
  expect(recordKey(null, 'k')).toBe('-:k');
});

test('a key that looks like one with a caller is none', () => {
  const ofAlice = recordKey(['alice'], 'k');
  expect(recordKey(['bob'], ofAlice)).not.toBe(ofAlice);
  expect(recordKey(null, ofAlice)).not.toBe(ofAlice);
});

test('the longest key of a request makes a key that a record can have', () => {
  expect(recordKey(['c'.repeat(10_000)], 'k'.repeat(255)).length).toBeLessThanOrEqual(512);
});

test.each<[returned: unknown, caller: readonly string[] | undefined]>([
  ['alice', ['alice']],
  [
    ['acme', 'alice'],
    ['acme', 'alice'],
  ],
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  [[], undefined],
  [['acme', ''], undefined],
])('a principal function that returns %j found the caller %j', (returned, caller) => {
  expect(callerIn('onceEachRequest', returned)).toEqual(caller);
});

test.each([
  7,
  { id: 'alice' },
  ['acme', 7],
  ['acme', undefined],
  // A hole.
  Object.assign(new Array<string>(2), { 0: 'acme' }),
  true,
])('%j is no caller', (returned) => {
  expect(() => callerIn('onceEachRequest', returned)).toThrow(InvalidOptionsError);
  expect(() => callerIn('onceEachRequest', returned)).toThrow(
    /^onceEachRequest: principal: must return who sends the request.*, got (number|object|boolean)$/,
  );
});

test.each(['\ud800', ['acme', 'alice\udfff']])('%j has half of a pair, and is no caller', (returned) => {
  expect(() => callerIn('onceEachRequest', returned)).toThrow(InvalidOptionsError);
  expect(() => callerIn('onceEachRequest', returned)).toThrow(
    /^onceEachRequest: principal: must not contain a lone surrogate/,
  );
  expect(callerIn('onceEachRequest', '😀')).toEqual(['😀']);
});
