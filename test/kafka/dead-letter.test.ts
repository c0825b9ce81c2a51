import { expect, test } from 'vitest';
import { deadLetterOf } from '../../adapters/kafka/log/dead-letter.ts';
import { message } from './support/messages.ts';

const placed = (
  original: ReturnType<typeof message>,
  place: { topic?: string; partition?: number } = {},
) => ({
  topic: 'orders',
  partition: 3,
  ...place,
  message: original,
});
const FACTS = {
  scope: 'billing>kafka:workers',
  key: 'orders-3-42',
  errorText: 'TerminalError: never',
  attempts: 2,
};
const OURS = {
  // Computed by hand: SHA-256 of ["billing>kafka:workers","orders-3-42","orders",3,"42"].
  'handle-once-id': 'ca5cfe95239f086e974214f471790651c2bccb186bbca5c71cf324214a7f91b8',
  'handle-once-topic': 'orders',
  'handle-once-partition': '3',
  'handle-once-offset': '42',
  'handle-once-timestamp': '1700000000000',
  'handle-once-scope': 'billing>kafka:workers',
  'handle-once-key': 'orders-3-42',
  'handle-once-error': 'TerminalError: never',
  'handle-once-attempts': '2',
};

test('a dead letter has the key and value, byte for byte, and tells where it comes from', () => {
  const key = Buffer.from([0xff, 0x00]);
  const value = Buffer.from([0x80, 0x01]);
  const letter = deadLetterOf(placed({ ...message(42), key, value }), FACTS);
  expect(letter).toEqual({ key, value, headers: OURS });
  expect(letter.key).toBe(key);
  expect(letter.value).toBe(value);
});

test('a tombstone without a key stays one', () => {
  const original = message(42, { key: null, value: null });
  expect(deadLetterOf(placed(original), FACTS)).toMatchObject({ key: null, value: null });
});

test('the headers of the original are kept, also those with many values', () => {
  const headers = { trace: Buffer.from('1'), tags: ['a', Buffer.from('b')], absent: undefined };
  expect(deadLetterOf(placed({ ...message(42), headers }), FACTS).headers).toEqual({ ...headers, ...OURS });
});

test('of a dead letter that failed again, the last place is told', () => {
  const headers = { 'handle-once-offset': Buffer.from('7'), 'handle-once-topic': Buffer.from('elsewhere') };
  expect(deadLetterOf(placed({ ...message(42), headers }), FACTS).headers).toEqual(OURS);
  expect(headers['handle-once-offset'].toString()).toBe('7');
});

type Facts = Partial<typeof FACTS & { topic: string; partition: number }>;
const idOf = ({ topic = 'orders', partition = 3, ...facts }: Facts = {}, offset = 42, value?: string) => {
  const original = placed(message(offset, value === undefined ? {} : { value }), { topic, partition });
  return deadLetterOf(original, { ...FACTS, ...facts }).headers['handle-once-id'];
};

test('each copy of one message has the same id, whatever is told of its failure', () => {
  const copies = [idOf(), idOf({ errorText: 'Error: other', attempts: 7 }), idOf({}, 42, 'w')];
  expect(new Set(copies).size).toBe(1);
});

test('messages of other places, keys and groups have other ids', () => {
  const ids = [
    idOf(),
    idOf({}, 43),
    idOf({ partition: 34, key: 'orders-3-4' }, 2),
    idOf({ partition: 4 }),
    idOf({ topic: 'invoices' }),
    idOf({ scope: 'billing>kafka:others' }),
    idOf({ key: 'order-1' }),
    idOf({ key: '' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
