import { readFile } from 'node:fs/promises';
import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';

const HOUR_MS = 3_600_000;

function setUp(options) {
  const store = createMemoryStore();
  return { store, handleOnce: createHandleOnce({ store, scope: 'test', ...options }) };
}

afterEach(() => {
  jest.useRealTimers();
});

test('errors of Node keep their names, messages and codes', async () => {
  const { handleOnce } = setUp({ maxAttempts: 1 });
  const missing = await handleOnce('missing', {}, () => readFile('/no/such/file'));
  expect(missing.error).toMatchObject({ name: 'Error', code: 'ENOENT' });
  const aborted = await handleOnce('aborted', {}, () => AbortSignal.abort().throwIfAborted());
  expect(aborted.error).toMatchObject({ name: 'AbortError', code: 20 });
});

test('calls end under fake timers, whose time ends backoffs, leases and retention', async () => {
  jest.useFakeTimers();
  const { store, handleOnce } = setUp({ succeededRetentionMs: HOUR_MS });
  const charge = jest.fn().mockRejectedValueOnce(new Error('down')).mockReturnValue('charged');
  const call = () => handleOnce('order-7', { cents: 995 }, charge);
  expect(await call()).toMatchObject({ state: 'pending', reason: 'released' });
  jest.advanceTimersByTime(1_000);
  expect(await call()).toMatchObject({ replayed: false, attempts: 2 });
  expect(await call()).toMatchObject({ replayed: true, attempts: 2 });
  store.advance(HOUR_MS);
  expect(await call()).toMatchObject({ replayed: false, attempts: 1 });
});

test('a call that waits for another goes on when fake time passes', async () => {
  jest.useFakeTimers();
  const { handleOnce } = setUp();
  let end;
  const first = handleOnce('order-7', {}, () => new Promise((resolve) => (end = resolve)));
  const second = handleOnce('order-7', {}, () => 'second', { waitMs: 10_000 });
  await jest.advanceTimersByTimeAsync(1_000);
  end('first');
  await first;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await second).toMatchObject({ state: 'succeeded', replayed: true, result: 'first' });
});
