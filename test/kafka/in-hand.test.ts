import { expect, test, vi } from 'vitest';
import { createInHand } from '../../adapters/kafka/in-hand.ts';
import { gate } from '../support/gate.ts';

test('what runs at a place is joined, and not started again', async () => {
  const inHand = createInHand<string>();
  const end = gate();
  const first = inHand.join('orders-0-1', () => end.opened.then(() => 'first'));
  const start = vi.fn(() => Promise.resolve('second'));
  const joined = inHand.join('orders-0-1', start);
  end.open();
  expect(await Promise.all([first, joined])).toEqual(['first', 'first']);
  expect(start).not.toHaveBeenCalled();
});

test('what has ended is not joined', async () => {
  const inHand = createInHand<string>();
  await inHand.join('orders-0-1', () => Promise.resolve('first'));
  expect(await inHand.join('orders-0-1', () => Promise.resolve('second'))).toBe('second');
});

test('what has rejected is not joined, and those who joined before learn of it', async () => {
  const inHand = createInHand<string>();
  const first = inHand.join('orders-0-1', () => Promise.reject(new Error('first')));
  const joined = inHand.join('orders-0-1', () => Promise.resolve('second'));
  await expect(first).rejects.toThrow('first');
  await expect(joined).rejects.toThrow('first');
  expect(await inHand.join('orders-0-1', () => Promise.resolve('third'))).toBe('third');
});

test('other places run beside it', async () => {
  const inHand = createInHand<string>();
  void inHand.join('orders-0-1', () => gate().opened.then(() => 'never'));
  expect(await inHand.join('orders-0-2', () => Promise.resolve('other'))).toBe('other');
});
