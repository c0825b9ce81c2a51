import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { isPromise } from '../../src/lib/is-promise.ts';
import { revokedProxy } from '../support/hostile.ts';

test('what has no function then is no promise, whatever it does when it is read', () => {
  const others = [undefined, null, 'text', 7, {}, { then: 1 }, () => 1, revokedProxy()];
  for (const value of others) expect(isPromise(value)).toBe(false);
});

test('a promise is one, as is what another library makes, and its rejection ends no process', async () => {
  const then = vi.fn();
  expect(isPromise({ then })).toBe(true);
  expect(isPromise(Promise.reject(new Error('no')))).toBe(true);
  await nextTurn();
  expect(then).toHaveBeenCalledTimes(1);
});
