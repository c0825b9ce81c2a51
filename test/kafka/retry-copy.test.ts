import { expect, test } from 'vitest';
import type { Placed } from '../../adapters/kafka/log/log-client.ts';
import { createToOriginal, originalOf, retryCopyOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { identityOf } from '../../adapters/shared/kafka/log-identity.ts';
import { message } from './support/messages.ts';

const GROUP = 'größe/50%';
const ORIGINAL = {
  topic: 'orders',
  partition: 3,
  message: { ...message(41, { key: 'k', value: 'v' }), headers: { trace: 'x', several: ['a', 'b'] } },
};

/** What a consumer reads of what was produced: bytes, at another place and time. */
function fetched(
  { key, value, headers }: ReturnType<typeof retryCopyOf>,
  changes: Record<string, unknown> = {},
) {
  const asBytes = Object.entries({ ...headers, ...changes }).map(([name, text]) => [
    name,
    typeof text === 'string' ? Buffer.from(text) : text,
  ]);
  return {
    ...message(7, { timestamp: '1800000000000' }),
    key,
    value,
    headers: Object.fromEntries(asBytes) as never,
  };
}

/** What a consumer of the group takes it for. */
function found(copy: ReturnType<typeof retryCopyOf>): Placed {
  const original = originalOf(fetched(copy), GROUP);
  if (original === undefined) throw new Error('it was not taken for a copy');
  return original;
}

const headersOf = ({ headers }: { headers: object }) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('a copy is read as its original, of which it keeps the identity', () => {
  const original = found(retryCopyOf(ORIGINAL, GROUP));
  expect(original).toMatchObject({ topic: 'orders', partition: 3, message: { offset: '41' } });
  expect(original.message.timestamp).toBe(ORIGINAL.message.timestamp);
  expect(headersOf(original.message)).toEqual({ trace: 'x', several: 'a,b' });

  const expected = identityOf('orders', 3, ORIGINAL.message, undefined);
  const identity = identityOf(original.topic, original.partition, original.message, undefined);
  expect(identity.key()).toBe(expected.key());
  expect(identity.content()).toEqual(expected.content());
});

test('a copy of a copy is the same copy, and a tombstone stays one', () => {
  const tombstone = { ...ORIGINAL, message: message(1, { value: null }) };
  for (const original of [ORIGINAL, tombstone]) {
    const copy = retryCopyOf(original, GROUP);
    const again = retryCopyOf(found(copy), GROUP);
    expect(headersOf(again)).toEqual(headersOf(copy));
    expect([again.key, again.value]).toEqual([copy.key, copy.value]);
  }
});

test('a message without a timestamp has a copy too', () => {
  const original = { ...ORIGINAL, message: message(1, { timestamp: '-1' }) };
  expect(found(retryCopyOf(original, GROUP)).message.timestamp).toBe('-1');
});

test.each<[header: string, value: unknown]>([
  ['group', 'another'],
  ['group', undefined],
  ['topic', 'no spaces'],
  ['topic', ''],
  ['partition', '-1'],
  ['partition', '03'],
  ['offset', '1.5'],
  ['offset', undefined],
  ['offset', [Buffer.from('41'), Buffer.from('42')]],
  ['timestamp', 'now'],
  ['timestamp', '-2'],
])('with a header %s of %j it is no copy', (header, value) => {
  const copy = fetched(retryCopyOf(ORIGINAL, GROUP), { [`handle-once-retry-${header}`]: value });
  expect(originalOf(copy, GROUP)).toBeUndefined();
});

test.each([
  ['a retry topic', 'orders.retry', '41'],
  ['the topic of its original', 'orders', '41'],
  ['any other topic, where its headers can be of another message', 'mails', '7'],
])('in %s a copy is taken for what it says', (_, topic, offset) => {
  const toOriginal = createToOriginal(GROUP, (name) => name.endsWith('.retry'));
  const copy = fetched(retryCopyOf(ORIGINAL, GROUP));
  expect(toOriginal({ topic, partition: 0, message: copy }).message.offset).toBe(offset);
});
