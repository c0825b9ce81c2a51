import * as fc from 'fast-check';
import { hostileProxy, revokedProxy, withGetters } from '../../test/support/hostile.ts';

/** A text that is in payloads, and has to be in nothing that is told of them. */
export const SECRET = 'what-only-the-payload-knows';

/** Texts that mean something to SQL, to a shell, to a log, to JSON, to a terminal or to JavaScript. */
export const trickyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  fc.constantFrom(
    "'; drop table handle_once.records; --",
    `"; delete from "handle_once".records; --`,
    '$1 $2::text \\x27 %s ${key} {{key}}',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    '\u202e\u2066',
    '\r\nHTTP/1.1 200 OK\r\n\r\n',
    '\x1b[2J\x1b]0;title\x07',
    '{"__proto__":{"polluted":true}}',
    'a'.repeat(512),
    'a'.repeat(513),
    '😀'.repeat(256),
    'ﷺ'.repeat(512),
    '-1',
    '1e309',
    'NaN',
    'null',
    'undefined',
  ),
);

/**
 * A value, when it is asked for: fast-check looks at what it makes, which Proxies and getters do not bear. A failure
 * prints the text.
 */
export type Later<T> = () => T;

function later<T>(make: () => T, text: string): Later<T> {
  return Object.assign(() => make(), { [fc.toStringMethod]: () => text });
}

const plainly = <T>(value: T): Later<T> => later(() => value, fc.stringify(value));

/** Any value of JavaScript that is made of data. */
const data = fc.anything({
  key: trickyText,
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  stringUnit: 'binary',
});

function circular(): object {
  const value: Record<string, unknown> = {};
  value['self'] = [value];
  return value;
}

function deep(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const odd = fc
  .constantFrom<() => unknown>(
    hostileProxy,
    () => hostileProxy([]),
    () => hostileProxy(() => undefined),
    revokedProxy,
    () => withGetters({ id: 1 }, 'name', 'message', 'code', 'cause', 'toJSON', 'then'),
    () => withGetters([1, 2], 'length2', 'toJSON'),
    () => Object.freeze({ id: 1, nested: Object.freeze([1]) }),
    () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    () => Object.create(null, { id: { value: 1, enumerable: true } }),
    circular,
    () => deep(20_000),
    () => 'x'.repeat(100_000),
    () => Array.from({ length: 1_000 }, (_, index) => index),
    () => Symbol('symbol'),
    () => () => 'a function',
    () => Map,
    () => new Proxy({}, {}),
    () => ({ toJSON: () => 'shown' }),
    () => ({ toJSON: () => undefined }),
    () => ({ toString: () => 1, valueOf: () => ({}) }),
    () => new URL('https://example.com'),
    () => new Request('https://example.com'),
    () => new Error('an error'),
    () => -0,
    () => Number.NaN,
  )
  .map((make) => later(make, String(make)));

/** Any value at all. */
export const anyValue: fc.Arbitrary<Later<unknown>> = fc.oneof(
  { weight: 4, arbitrary: data.map(plainly) },
  { weight: 1, arbitrary: trickyText.map(plainly) },
  { weight: 2, arbitrary: odd },
);

const secret = fc
  .constantFrom<() => unknown>(
    () => SECRET,
    () => `{"id":"${SECRET}"}`,
    () => `{"id":${SECRET}`,
    () => Buffer.from(SECRET),
    () => ({ id: SECRET }),
    () => [SECRET],
    () => ({ id: 1, note: SECRET, when: new Map([[SECRET, SECRET]]) }),
    () => ({ id: SECRET, action: () => SECRET }),
    () => ({ id: BigInt(1), note: new String(SECRET) }),
    () => Object.assign(circular(), { note: SECRET }),
    () => withGetters({ note: SECRET }, 'id'),
    () => ({ toJSON: () => ({ id: SECRET }) }),
  )
  .map((make) => later(make, String(make)));

/** A payload with the secret somewhere in a value of it. */
export const secretPayload: fc.Arbitrary<Later<unknown>> = fc.oneof(
  secret,
  data.map((value) => plainly({ id: SECRET, value })),
  data.map((value) => plainly([value, { note: SECRET }])),
);

/** An object with some of the members, each of any kind. */
export function anyMembers(names: readonly string[]): fc.Arbitrary<Later<Record<string, unknown>>> {
  return fc
    .dictionary(fc.constantFrom(...names), anyValue)
    .map((members) => later(() => made(members), fc.stringify(Object.keys(members))));
}

/** The same members, made. */
export function made(members: Readonly<Record<string, Later<unknown>>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value()]));
}
