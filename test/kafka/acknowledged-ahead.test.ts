import { expect, test } from 'vitest';
import { AcknowledgedAhead } from '../../adapters/kafka/partition/acknowledged-ahead.ts';
import { message } from './support/messages.ts';

test('what was added is settled, until it is deleted', () => {
  const ahead = new AcknowledgedAhead();
  expect(ahead.look(message(10))).toBe('unknown');
  ahead.add(message(10));
  expect([10, 11].map((offset) => ahead.look(message(offset)))).toEqual(['acknowledged', 'unknown']);
  ahead.delete(message(10));
  expect(ahead.look(message(10))).toBe('unknown');
});

test.each([
  ['timestamp', { timestamp: '1' }],
  ['key', { key: 'other' }],
  ['value', { value: 'other' }],
  ['absence of a value', { value: null }],
])('another %s at the same offset is another message', (_, parts) => {
  const ahead = new AcknowledgedAhead();
  ahead.add(message(10));
  expect(ahead.look(message(10, parts))).toBe('other');
});

test('headers and attributes do not make another message', () => {
  const ahead = new AcknowledgedAhead();
  ahead.add(message(10));
  expect(ahead.look({ ...message(10), headers: { trace: 'a' }, attributes: 7 })).toBe('acknowledged');
});

test('20,000 are remembered, and what finds no room is unknown until there is some', () => {
  const ahead = new AcknowledgedAhead();
  for (let offset = 0; offset <= 20_000; offset += 1) ahead.add(message(offset));
  expect([19_999, 20_000].map((offset) => ahead.look(message(offset)))).toEqual(['acknowledged', 'unknown']);
  ahead.delete(message(0));
  ahead.add(message(20_000));
  expect(ahead.look(message(20_000))).toBe('acknowledged');
});
