import { expect, test } from 'vitest';
import { deadLetterOf } from '../../adapters/kafka/dead-letter.ts';
import { message } from './support/messages.ts';

const FACTS = {
  topic: 'orders',
  partition: 3,
  scope: 'billing>kafka:workers',
  errorText: 'TerminalError: never',
  attempts: 2,
};
const OURS = {
  'handle-once-topic': 'orders',
  'handle-once-partition': '3',
  'handle-once-offset': '42',
  'handle-once-scope': 'billing>kafka:workers',
  'handle-once-error': 'TerminalError: never',
  'handle-once-attempts': '2',
};

test('a dead letter has the key and value, byte for byte, and tells where it comes from', () => {
  const key = Buffer.from([0xff, 0x00]);
  const value = Buffer.from([0x80, 0x01]);
  const letter = deadLetterOf({ ...message(42), key, value }, FACTS);
  expect(letter).toEqual({ key, value, headers: OURS });
  expect(letter.key).toBe(key);
  expect(letter.value).toBe(value);
});

test('a tombstone without a key stays one', () => {
  const original = message(42, { key: null, value: null });
  expect(deadLetterOf(original, FACTS)).toMatchObject({ key: null, value: null });
});

test('the headers of the original are kept, also those with many values', () => {
  const headers = { trace: Buffer.from('1'), tags: ['a', Buffer.from('b')], absent: undefined };
  expect(deadLetterOf({ ...message(42), headers }, FACTS).headers).toEqual({ ...headers, ...OURS });
});

test('of a dead letter that failed again, the last place is told', () => {
  const headers = { 'handle-once-offset': Buffer.from('7'), 'handle-once-topic': Buffer.from('elsewhere') };
  expect(deadLetterOf({ ...message(42), headers }, FACTS).headers).toEqual(OURS);
  expect(headers['handle-once-offset'].toString()).toBe('7');
});
