import { describe, expect, it, vi } from 'vitest';
import {
  createHandleOnce,
  type HandleOnceEvent,
  InvalidKeyError,
  InvalidOptionsError,
  StoreError,
  TerminalError,
} from '../../src/index.ts';
import type { Store } from '../../src/store.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { usePostgresBench } from './support/bench.ts';

const DAY = 86_400_000;

describe('lookup', () => {
  const bench = usePostgresBench();

  it('finds nothing before the first delivery, and leaves nothing behind', async () => {
    const handleOnce = bench.handleOnce();
    expect(await handleOnce.lookup('key')).toBeUndefined();
    expect(await handleOnce('key', 1, () => 'ran')).toMatchObject({ result: 'ran', attempts: 1 });
  });

  it('finds what a duplicate gets, until that has expired', async () => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', 1, () => ({ id: 'charge-1' }));
    const duplicate = await handleOnce('key', 1, vi.fn());
    expect(await handleOnce.lookup('key')).toEqual(duplicate);
    await handleOnce('blocked', 1, () => {
      throw new TerminalError('the card is blocked', { code: 'BLOCKED' });
    });
    expect(await handleOnce.lookup('blocked')).toEqual(await handleOnce('blocked', 1, vi.fn()));
    await bench.pass(8 * DAY);
    expect(await handleOnce.lookup('key')).toBeUndefined();
    expect(await handleOnce.lookup('blocked')).toBeUndefined();
  });

  it('says why there is no result', async () => {
    const handleOnce = bench.handleOnce({ storeResult: false });
    await handleOnce('key', 1, () => 'secret');
    expect(await handleOnce.lookup('key')).toMatchObject({ state: 'succeeded', resultOmitted: 'not-stored' });
  });

  it('finds a message in flight, and one that is free to run, without a claim', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: 30_000, backoff: () => 60_000 });
    const inFlight = { state: 'pending', reason: 'in-flight', attempts: 1 };
    await handleOnce('key', 1, async () => {
      expect(await handleOnce.lookup('key')).toMatchObject(inFlight);
      await bench.pass(30_000);
      expect(await handleOnce.lookup('key')).toEqual({ ...inFlight, retryAfterMs: 0 });
      throw new Error('again');
    });
    const released = { state: 'pending', reason: 'released', attempts: 1, error: { message: 'again' } };
    expect(await handleOnce.lookup('key')).toMatchObject(released);
    await bench.pass(60_000);
    expect(await handleOnce.lookup('key')).toMatchObject({ ...released, retryAfterMs: 0 });
    expect(await handleOnce('key', 1, () => 'ran')).toMatchObject({ attempts: 2 });
  });

  it('looks in its own scope', async () => {
    const handleOnce = bench.handleOnce();
    const ofTenant = handleOnce.inScope({ kind: 'tenant', name: 'acme' });
    await ofTenant('key', 1, () => 1);
    expect(await handleOnce.lookup('key')).toBeUndefined();
    expect(await ofTenant.lookup('key')).toMatchObject({ result: 1 });
  });

  it('counts as no delivery', async () => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', 1, () => 1);
    const before = handleOnce.counts();
    await handleOnce.lookup('key');
    expect(handleOnce.counts()).toEqual(before);
  });

  it('refuses a key that no record can have', async () => {
    await expect(bench.handleOnce().lookup('')).rejects.toThrow(InvalidKeyError);
  });
});

describe('lookup', () => {
  it('throws what the store throws, and tells of it', async () => {
    const events: HandleOnceEvent[] = [];
    const down = new StoreError('the store is down', { retriable: true });
    const store: Store = { ...createMemoryStore(), lookup: () => Promise.reject(down) };
    const handleOnce = createHandleOnce({ store, scope: 'billing', onEvent: (event) => events.push(event) });
    await expect(handleOnce.lookup('key')).rejects.toBe(down);
    expect(events).toMatchObject([
      { type: 'store-error', scope: 'billing', key: 'key', verb: 'lookup', error: { name: 'StoreError' } },
    ]);
  });

  it('needs a store that can look', async () => {
    const store: Store = { ...createMemoryStore() };
    delete store.lookup;
    const handleOnce = createHandleOnce({ store, scope: 'billing' });
    await expect(handleOnce.lookup('key')).rejects.toThrow(InvalidOptionsError);
    await expect(handleOnce.lookup('key')).rejects.toMatchObject({ issues: [{ field: 'store' }] });
  });
});
