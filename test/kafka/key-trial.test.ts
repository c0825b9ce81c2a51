import { describe, expect, test, vi } from 'vitest';
import { createKeyTrial } from '../../adapters/kafka/fetch/key-trial.ts';
import { KeyFunctionError } from '../../adapters/kafka/log/stop-errors.ts';
import { message } from './support/messages.ts';

const PLACE = { topic: 'orders', partition: 0 };
const messages = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => message(first + index));

const fails = (): never => {
  throw new RangeError('no id');
};

test('without a key function there is nothing to try', () => {
  expect(createKeyTrial(undefined).hasWorked()).toBe(true);
});

test('it gets the message and its place, and works with its first key: it is not tried any more', () => {
  const key = vi.fn(() => 'k');
  const trial = createKeyTrial(key);
  expect(trial.hasWorked()).toBe(false);
  const [first, second] = messages(2);
  if (first === undefined || second === undefined) throw new Error('two were made');
  trial.look(PLACE, [first, second]);
  expect(key.mock.calls).toEqual([[first, 'orders', 0]]);
  expect(trial.hasWorked()).toBe(true);
});

describe.each<[string, () => unknown]>([
  ['throws', fails],
  ['returns an empty text', () => ''],
  ['returns no text', () => undefined],
  ['returns a promise', () => Promise.resolve('k')],
  ['returns a lone surrogate', () => '\ud83d'],
])('a function that %s', (_, key) => {
  test('for 20 different messages is an error, which names it and ends the consumer', () => {
    const trial = createKeyTrial(key as () => string);
    trial.look(PLACE, messages(19));
    expect(trial.hasWorked()).toBe(false);
    const look = () => {
      trial.look(PLACE, messages(1, 19));
    };
    expect(look).toThrow(KeyFunctionError);
    expect(look).toThrow(/^key: .*first 20 messages, the last of orders.*Correct the function/);
    expect(look).toThrow(expect.objectContaining({ retriable: false }) as Error);
  });
});

test.each<[() => unknown, RegExp]>([
  [fails, /last of orders \(RangeError\)/],
  [() => 7, /last of orders \(must be a string/],
])('the error says what was wrong with the last', (key, what) => {
  const trial = createKeyTrial(key as () => string);
  expect(() => {
    trial.look(PLACE, messages(20));
  }).toThrow(what);
});

test('a message that is fetched again counts once', () => {
  const trial = createKeyTrial(fails);
  for (let time = 0; time < 30; time += 1) trial.look(PLACE, messages(19));
  expect(() => {
    trial.look({ ...PLACE, partition: 1 }, messages(1));
  }).toThrow(KeyFunctionError);
});

test('after it has worked once it may throw for any message', () => {
  const key = vi.fn<() => string>(fails);
  const trial = createKeyTrial(key);
  trial.look(PLACE, messages(10));
  key.mockReturnValueOnce('k');
  trial.look(PLACE, messages(10, 10));
  trial.look(PLACE, messages(100, 20));
  expect([trial.hasWorked(), key.mock.calls.length]).toEqual([true, 11]);
});

test('one that works for the twentieth works', () => {
  const trial = createKeyTrial(({ offset }) => (offset === '19' ? 'k' : fails()));
  trial.look(PLACE, messages(100));
  expect(trial.hasWorked()).toBe(true);
});
