import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyIn, isStoredResponse, toStored } from '../../adapters/http/stored-response.ts';

const response = (body: Buffer | undefined) => ({ status: 201, headers: [], body });
const MAX = 65_536;

test('any bytes come back as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const stored: unknown = JSON.parse(JSON.stringify(toStored(response(Buffer.from(bytes)), MAX)));
      expect(isStoredResponse(stored) && bodyIn(stored)).toEqual(Buffer.from(bytes));
    }),
  );
});

test('text is kept as text, also with a byte order mark or a NUL, and other bytes as base64', () => {
  for (const text of ['', 'größe', '\ufeff{}', 'a\0b', '😀']) {
    const stored = toStored(response(Buffer.from(text)), MAX);
    expect(stored).toMatchObject({ text });
    expect(bodyIn(stored)?.toString('hex')).toBe(Buffer.from(text).toString('hex'));
  }
  expect(toStored(response(Buffer.from([0xff, 0xfe])), MAX)).toMatchObject({ base64: '//4=' });
});

test('a body that was not read, or is too large as JSON, is left out', () => {
  const without = { status: 201, headers: [] };
  expect(toStored(response(undefined), MAX)).toEqual(without);
  expect(toStored(response(Buffer.alloc(MAX + 1, 'a')), MAX)).toEqual(without);
  // Each of its bytes is six of JSON.
  expect(toStored(response(Buffer.alloc(MAX / 2, 1)), MAX)).toEqual(without);
  expect(bodyIn(without)).toBeUndefined();
});

const sound = { status: 201, headers: [['location', '/orders/1']], text: 'done' };

test.each([
  null,
  'text',
  7,
  {},
  { status: 201 },
  ...['201', 20, 99, 1_000, 201.5, null].map((status) => ({ ...sound, status })),
  ...[
    'location',
    [['location']],
    [['', 'a']],
    [['a b', 'c']],
    [['a', 5]],
    [['a', 'b\nc']],
    [['a', '\u0100']],
  ].map((headers) => ({ ...sound, headers })),
  ...['transfer-encoding', 'Content-Length', 'set-cookie'].map((name) => ({
    ...sound,
    headers: [[name, '1']],
  })),
  ...[5, null, {}].flatMap((body) => [
    { ...sound, text: body },
    { ...sound, base64: body },
  ]),
  ...['%%%not base64', 'YQ', 'é'].map((base64) => ({ status: 201, headers: [], base64 })),
  { status: 201, headers: [], text: '\ud800' },
  { status: 201, headers: [], text: 'a', base64: 'YQ==' },
])('%j is no response', (result) => {
  expect(isStoredResponse(result)).toBe(false);
});
