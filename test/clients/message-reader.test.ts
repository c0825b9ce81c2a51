import { expect, test } from 'vitest';
import { messageReader } from '../../adapters/clients/message-reader.ts';

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

test('the first message of a client has no type, and the next is told with its own', () => {
  const told: string[] = [];
  const read = messageReader('client', (type) => told.push(type));
  read(Buffer.concat([message('', 'user SQSQ'), message('S', '')]));
  expect(told).toEqual(['\0', 'S']);
});

test.each([1, 2, 3, 5, 7, 1_000])(
  'messages are told, and nothing of their bodies, in chunks of %i bytes',
  (size) => {
    const stream = Buffer.concat([
      message('P', 'S Q Z'),
      message('S', ''),
      message('Q', 'select 1'),
      message('d', 'SSSSSSSS'),
      message('S', ''),
    ]);
    const told: string[] = [];
    const read = messageReader('server', (type) => told.push(type));
    for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size));
    expect(told).toEqual(['P', 'S', 'Q', 'd', 'S']);
  },
);

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
