import { describe, expect, test } from 'vitest';
import { messageCounter } from '../../adapters/clients/message-counter.ts';
import { messageReader } from '../../adapters/clients/message-reader.ts';

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

describe('The messages of a connection are counted', () => {
  const stream = Buffer.concat([
    message('P', 'S Q Z'),
    message('S', ''),
    message('Q', 'select 1'),
    message('d', 'SSSSSSSS'),
    message('S', ''),
  ]);

  test.each([1, 2, 3, 5, 7, 1_000])('in chunks of %i bytes', (size) => {
    const count = messageCounter('SQ', 'server');
    let found = 0;
    for (let at = 0; at < stream.length; at += size) found += count(stream.subarray(at, at + size));
    expect(found).toBe(3);
  });

  test('after the first of a client, which has no type', () => {
    const count = messageCounter('SQ', 'client');
    expect(count(Buffer.concat([message('', 'user SQSQ'), message('S', '')]))).toBe(1);
  });
});

test.each([1, 2, 5, 6, 7, 1_000])(
  'messages are told with the first byte of their bodies, in chunks of %i bytes',
  (size) => {
    const stream = Buffer.concat([
      message('Z', 'I'),
      message('S', ''),
      message('D', 'ZZZ'),
      message('Z', 'T'),
    ]);
    const told: string[] = [];
    const read = messageReader('server', (type, first) => told.push(type + String.fromCharCode(first ?? 45)));
    for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size));
    expect(told).toEqual(['ZI', 'S-', 'DZ', 'ZT']);
  },
);
