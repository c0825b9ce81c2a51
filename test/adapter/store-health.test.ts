import { createHandleOnce, StoreError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { expect, it } from 'vitest';
import { storeIsUsable } from '../../src/adapter/store-check.ts';
import { storeAnswered } from '../../adapters/shared/store-health.ts';

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
