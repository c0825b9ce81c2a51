import { describe, expect, it, vi } from 'vitest';
import { type Attempt, createHandleOnce, LeaseLostError } from '../../src/index.ts';
import { handlesOf } from '../../src/engine/hidden-handles.ts';
import type { Store } from '../../src/store.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { usePostgresBench } from './support/bench.ts';

const LEASE_MS = 300;

/** No timer and no reply reaches the process meanwhile, as when it is stopped by a signal. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe('a process that was frozen for longer than the lease', () => {
  const bench = usePostgresBench();

  it.each<[string, (attempt: Attempt) => boolean]>([
    ['aborted', ({ signal }) => signal.aborted],
    [
      'throwIfAborted',
      ({ signal }) => {
        try {
          signal.throwIfAborted();
          return false;
        } catch (error) {
          return error instanceof LeaseLostError;
        }
      },
    ],
  ])('is told so by signal.%s, before any timer of it has run', async (_, isAborted) => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS });
    const effect = vi.fn();
    const outcome = await handleOnce('key', 'body', (__, attempt) => {
      expect(isAborted(attempt)).toBe(false);
      standStill(LEASE_MS + 50);
      if (isAborted(attempt)) throw attempt.signal.reason;
      effect();
    });
    expect(effect).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ state: 'pending', error: { name: 'LeaseLostError' } });
  });

  it('aborts the signal itself: listeners hear of it, and it stays aborted', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS });
    const listener = vi.fn();
    await handleOnce('key', 'body', (_, { signal }) => {
      signal.addEventListener('abort', listener);
      standStill(LEASE_MS + 50);
      expect(signal.aborted).toBe(true);
      expect(listener).toHaveBeenCalledTimes(1);
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
    });
  });

  it('starts no handler that has waited for its turn meanwhile', async () => {
    const store = createMemoryStore();
    const handleOnce = createHandleOnce({ store, scope: 's', leaseMs: LEASE_MS, onEvent: () => undefined });
    const work = vi.fn(() => Promise.resolve());
    const mayStart = (): Promise<boolean> => {
      standStill(LEASE_MS + 50);
      return Promise.resolve(true);
    };
    const outcome = await handlesOf(handleOnce).handle({
      key: 'key',
      content: 'body',
      handler: work,
      mayStart,
    });
    expect(work).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ state: 'pending', error: { name: 'NotStartedError' } });
  });

  it('starts no handler whose payload was parsed meanwhile', async () => {
    const work = vi.fn(() => Promise.resolve());
    const outcome = await handlesOf(bench.handleOnce({ leaseMs: LEASE_MS })).handle({
      ...{ key: 'key', content: 'body', handler: work },
      parse() {
        standStill(LEASE_MS + 50);
      },
    });
    expect(work).not.toHaveBeenCalled();
    expect(outcome).toMatchObject({ state: 'pending', error: { name: 'NotStartedError' } });
  });

  it('sends no heartbeat for the lease that it gives up: others would wait for one lease more', async () => {
    const store = createMemoryStore();
    const extend = vi.fn<Store['extend']>((...requests) => store.extend(...requests));
    const handleOnce = createHandleOnce({
      store: { ...store, extend },
      scope: 's',
      leaseMs: LEASE_MS,
      onEvent: () => undefined,
    });
    await handleOnce('key', 'body', async (_, { signal }) => {
      const aborted = new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      standStill(LEASE_MS + 50);
      await aborted;
    });
    expect(extend).not.toHaveBeenCalled();
  });
});

describe('a machine that was suspended, whose monotonic clock did not go on', () => {
  const handleOnce = () => createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs: 60_000 });

  it.each([
    ['lapses the lease by the wall clock', 60_000, true],
    ['keeps it while the lease lasts', 58_000, false],
  ])('%s', async (_, suspendedMs, isAborted) => {
    await handleOnce()('key', 'body', (__, { signal }) => {
      const before = Date.now();
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => before + suspendedMs);
      expect(signal.aborted).toBe(isAborted);
      clock.mockRestore();
    });
  });

  it('does not keep a lease for longer when its wall clock is set back', async () => {
    await handleOnce()('key', 'body', (_, { signal }) => {
      const [wall, monotonic] = [Date.now(), performance.now()];
      vi.spyOn(Date, 'now').mockImplementation(() => wall - 86_400_000);
      vi.spyOn(performance, 'now').mockImplementation(() => monotonic + 60_000);
      expect(signal.aborted).toBe(true);
      vi.restoreAllMocks();
    });
  });
});
