import { createHandleOnce } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test, vi } from 'vitest';
import { BEATS_PER_LEASE } from '../../src/engine/lease-alarms.ts';

test('a handler that runs for longer than its lease is reported', async () => {
  let told: (event: unknown) => void;
  const seen = new Promise((resolve) => {
    told = resolve;
  });
  const handleOnce = createHandleOnce({
    ...{ store: createMemoryStore(), scope: 'billing', leaseMs: 100 },
    onEvent: (event) => {
      if (event.type === 'still-running') told(event);
    },
  });
  await handleOnce('k', 'body', () => seen);
  const running = { type: 'still-running', scope: 'billing', key: 'k', attempts: 1 };
  expect(await seen).toEqual({ ...running, runningMs: expect.any(Number) as number });
});

test('a settle that takes longer than a lease is no running handler', async () => {
  const memory = createMemoryStore();
  const extend = vi.fn<Store['extend']>((...request) => memory.extend(...request));
  const store: Store = {
    ...memory,
    extend,
    async settle(...request) {
      await expect.poll(() => extend.mock.calls.length).toBeGreaterThan(2 * BEATS_PER_LEASE);
      return await memory.settle(...request);
    },
  };
  const handleOnce = createHandleOnce({ store, scope: 'billing', leaseMs: 300 });
  expect(await handleOnce('k', 'body', () => 'done')).toMatchObject({ state: 'succeeded' });
  expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1 });
});
