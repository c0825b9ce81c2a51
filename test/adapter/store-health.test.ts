import { createHandleOnce, InvalidKeyError, SchemaError, StoreError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Handled, Kernel } from '../../src/adapter-kit.ts';
import { storeIsUsable } from '../../src/adapter/store-check.ts';
import { storeAnswered, watchStore } from '../../adapters/shared/store-health.ts';

class AbandonedError extends Error {
  override readonly name = 'AbandonedError';
}

it('a client that was closed is a store out of reach, and one that may not read the version is not', async () => {
  const closed = { code: 'CONNECTION_ENDED' };
  const asked = (cause: object) =>
    storeIsUsable({
      checkStore: () => Promise.reject(new StoreError('refused', { retriable: false, cause })),
    });
  expect(await asked(closed)).toBe(false);
  expect(await asked({ code: '42501' })).toBe(true);
});

it('a store that takes no settle has not answered, whatever the handler calls its error', async () => {
  const store: Store = {
    ...createMemoryStore(),
    settle: () => Promise.reject(new StoreError('down', { retriable: true })),
  };
  const handleOnce = createHandleOnce({ store, scope: 'billing', leaseMs: 1_000, onEvent: () => undefined });
  const outcome = await handleOnce('1', 'body', () => Promise.reject(new AbandonedError('mine')));
  expect(outcome).toMatchObject({ reason: 'unrecorded', error: { name: 'AbandonedError' } });
  expect(storeAnswered(outcome)).toBe(false);
});

/** A watch on a store whose checks and deliveries end so. */
function setup() {
  const check = vi.fn<NonNullable<Store['check']>>().mockResolvedValue();
  const handle = vi.fn<() => Promise<Handled<unknown>>>();
  const handleOnce = createHandleOnce({ store: { ...createMemoryStore(), check }, scope: 'billing' });
  return { check, handle, ...watchStore(handleOnce, { handle } as unknown as Kernel) };
}

it('a store whose last answer is ten seconds old is asked, once at a time', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { check, store } = setup();
  const reachAfter = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return [store.reach(), store.reach(), check.mock.calls.length];
  };
  expect(await reachAfter(0)).toEqual(['unknown', 'unknown', 1]);
  expect(await reachAfter(9_999)).toEqual(['reachable', 'reachable', 1]);
  check.mockRejectedValueOnce(new StoreError('down', { retriable: true }));
  expect(await reachAfter(1)).toEqual(['reachable', 'reachable', 2]);
  expect(await reachAfter(5_000)).toEqual(['unreachable', 'unreachable', 2]);
  expect(await reachAfter(5_000)).toEqual(['unreachable', 'unreachable', 3]);
  check.mockRejectedValueOnce(new SchemaError('missing'));
  expect(await reachAfter(10_000)).toEqual(['reachable', 'reachable', 4]);
  expect(await reachAfter(0)).toEqual(['unreachable', 'unreachable', 4]);
});

it.each<[handled: Handled<unknown>, reach: string]>([
  [{ state: 'succeeded', replayed: false, attempts: 1, result: 1 }, 'reachable'],
  [
    { state: 'refused', reason: 'store-error', error: new StoreError('down', { retriable: true }) },
    'unreachable',
  ],
  [
    {
      ...{ state: 'refused', reason: 'store-error' },
      error: new StoreError('no', { retriable: false, dataRefused: true }),
    },
    'reachable',
  ],
  [{ state: 'refused', reason: 'invalid-key', error: new InvalidKeyError('no') }, 'unknown'],
])('a delivery that ends as %j says that the store is %s', async (handled, reach) => {
  const { handle, kernel, store } = setup();
  handle.mockResolvedValue(handled);
  expect(await kernel.handle({} as never)).toBe(handled);
  expect(store.reach()).toBe(reach);
});
