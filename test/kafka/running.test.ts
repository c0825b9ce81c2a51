import { expect, test, vi } from 'vitest';
import { createRunning } from '../../adapters/kafka/fetch/running.ts';
import { gate } from '../support/gate.ts';
import { message } from './support/messages.ts';

const PLACE = { topic: 'orders', partition: 0 };

test('what runs of a message is joined, and not started again', async () => {
  const running = createRunning<string>();
  const end = gate();
  const first = running.join(PLACE, message(1), () => end.opened.then(() => 'first'));
  const start = vi.fn(() => Promise.resolve('second'));
  const joined = running.join({ ...PLACE }, message(1), start);
  end.open();
  expect(await Promise.all([first, joined])).toEqual(['first', 'first']);
  expect(start).not.toHaveBeenCalled();
});

test('what has ended is not joined', async () => {
  const running = createRunning<string>();
  await running.join(PLACE, message(1), () => Promise.resolve('first'));
  expect(await running.join(PLACE, message(1), () => Promise.resolve('second'))).toBe('second');
});

test('what has rejected is not joined, and those who joined before learn of it', async () => {
  const running = createRunning<string>();
  const first = running.join(PLACE, message(1), () => Promise.reject(new Error('first')));
  const joined = running.join(PLACE, message(1), () => Promise.resolve('second'));
  await expect(first).rejects.toThrow('first');
  await expect(joined).rejects.toThrow('first');
  expect(await running.join(PLACE, message(1), () => Promise.resolve('third'))).toBe('third');
});

test.each([
  ['at another offset', PLACE, message(2)],
  ['of another partition', { topic: 'orders', partition: 1 }, message(1)],
  ['of another topic', { topic: 'invoices', partition: 0 }, message(1)],
  ['with another timestamp', PLACE, message(1, { timestamp: '1' })],
  ['with another key', PLACE, message(1, { key: 'k' })],
  ['with an empty key', PLACE, message(1, { key: '' })],
  ['with another value', PLACE, message(1, { value: 'other' })],
  ['without a value', PLACE, message(1, { value: null })],
])('a message %s runs beside it', async (_, place, other) => {
  const running = createRunning<string>();
  void running.join(PLACE, message(1), () => gate().opened.then(() => 'never'));
  expect(await running.join(place, other, () => Promise.resolve('other'))).toBe('other');
});

test('other content at the same place is joined, and what ends of the one before does not end that', async () => {
  const running = createRunning<string>();
  const ends = [gate(), gate()];
  const [old, renewed] = ['old', 'new'].map((value, index) =>
    running.join(PLACE, message(1, { value }), async () => {
      await ends[index]?.opened;
      return value;
    }),
  );
  ends[0]?.open();
  expect(await old).toBe('old');
  const joined = running.join(PLACE, message(1, { value: 'new' }), () => Promise.resolve('third'));
  ends[1]?.open();
  expect(await Promise.all([renewed, joined])).toEqual(['new', 'new']);
});

test('its end is that of everything that runs, also of what failed and of what another took the place of', async () => {
  const running = createRunning<string>();
  const ends = [gate(), gate(), gate()];
  const run = (offset: number, index: number, value: string) =>
    running.join(PLACE, message(offset, { value }), async () => {
      await ends[index]?.opened;
      if (index === 0) throw new Error('no');
      return value;
    });
  run(1, 0, 'a').catch(() => undefined);
  void run(2, 1, 'old');
  void run(2, 2, 'new');
  let hasEnded = false;
  void running.ended().then(() => (hasEnded = true));
  for (const index of [0, 2, 1]) {
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    ends[index]?.open();
  }
  await new Promise(setImmediate);
  expect(hasEnded).toBe(true);
  await running.ended();
});
