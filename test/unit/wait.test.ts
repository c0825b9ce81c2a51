import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { retryWait } from '../../src/lib/retry.ts';
import { delay, endsBeforeAbort, endsWithin } from '../../src/lib/wait.ts';
import { createVirtualTime } from '../support/virtual-time.ts';

const NEVER = new Promise<never>(() => undefined);

test('a delay says whether its time has passed, and leaves no listener behind', async () => {
  const time = createVirtualTime();
  const { clock } = time;
  const aborter = new AbortController();
  const { signal } = aborter;
  const passed = delay(clock, 50, { signal });
  const cut = delay(clock, 500, { signal });
  await time.advance(60);
  expect(await passed).toBe(true);
  aborter.abort();
  expect(await cut).toBe(false);
  expect(await delay(clock, 50, { signal })).toBe(false);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a wait between tries grows up to its bound; half of it is random with a clock', () => {
  const growth = { baseMs: 100, maxMs: 1_000 };
  expect([1, 2, 3, 9].map((failures) => retryWait(growth, failures))).toEqual([100, 200, 400, 1_000]);
  expect(retryWait({ ...growth, factor: 3 }, 3)).toBe(900);
  const waits = [0, 0.5, 1].map((random) => retryWait(growth, 3, { random: () => random }));
  expect(waits).toEqual([200, 300, 400]);
});

test('work ends within its time, or not; what it throws in time is thrown', async () => {
  const time = createVirtualTime();
  const { clock } = time;
  const late = endsWithin(NEVER, 50, clock);
  await time.advance(60);
  expect(await late).toBe(false);
  const { signal } = new AbortController();
  expect(await endsWithin(Promise.resolve(), 50, clock, signal)).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await expect(endsWithin(Promise.reject(new Error('no')), 50, clock)).rejects.toThrow('no');
});

test('a signal ends the wait for work, and not the work', async () => {
  const { clock } = createVirtualTime();
  const aborter = new AbortController();
  const { signal } = aborter;
  const waits = [endsWithin(NEVER, 50, clock, signal), endsBeforeAbort(NEVER, signal)];
  aborter.abort();
  expect(await Promise.all(waits)).toEqual([false, false]);
  expect(await endsBeforeAbort(Promise.resolve(), undefined)).toBe(true);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
