import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import type { TransactionalStore } from '../../src/store/transactional-store.ts';
import { createMemoryStore } from '../../src/testing.ts';

const LEASE_MS = 3_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a handler within a transaction of the caller does not start when its lease has lapsed before', async () => {
  const memory = createMemoryStore();
  const store: TransactionalStore<object> = {
    ...memory,
    // No heartbeat is answered, and the transaction takes longer than the lease to answer its first statement.
    extend: () => new Promise(() => undefined),
    async savepoint(_, work) {
      await sleep(systemClock, LEASE_MS + 1);
      return await work();
    },
    accept: () => undefined,
    hasBroken: () => false,
    begin: () => Promise.reject(new Error('the caller has begun it')),
    settleIn: () => Promise.resolve('settled'),
    settleLast: () => Promise.reject(new Error('the caller commits it')),
    tellsRollback: true,
    isRolledBack: () => false,
    isConflict: () => false,
  };
  const host = createHost(systemClock, 'abcdef01');
  const handleOnce = createHandleOnceIn(host, { store, scope: 'billing', leaseMs: LEASE_MS }, store);
  const handler = vi.fn();
  const handled = handleOnce.within({})('key', 'body', handler);
  await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
  expect(await handled).toMatchObject({ state: 'pending', attempts: 0 });
  expect(handler).not.toHaveBeenCalled();
});
