import { createHandleOnce, TerminalError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Cached } from '../../bench/caching/cache.ts';
import { throughCache } from '../../bench/caching/through-cache.ts';

/** A cache, and `handleOnce` behind it. */
function setUp(fn: () => unknown) {
  const entries = new Map<string, Cached>();
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'test' });
  const handled = vi.fn((content: string) => handleOnce('order-1', content, fn));
  const cache = {
    get: (key: string) => Promise.resolve(entries.get(key)),
    set: (key: string, cached: Cached) => void entries.set(key, cached),
    serverCpu: () => Promise.resolve(0),
  };
  const deliver = (content: string) =>
    throughCache(cache, { key: 'order-1', content }, () => handled(content));
  return { deliver, handled };
}

describe('throughCache', () => {
  it('answers a redelivery of what has succeeded', async () => {
    const { deliver, handled } = setUp(() => ({ chargeId: '1' }));
    await deliver('a');
    const replay = { state: 'succeeded', replayed: true, attempts: 1, result: { chargeId: '1' } };
    expect(await deliver('a')).toEqual(replay);
    expect(handled).toHaveBeenCalledOnce();
  });

  it('leaves another content under the same key to the record, which refuses it', async () => {
    const { deliver } = setUp(() => 'done');
    await deliver('a');
    await expect(deliver('b')).rejects.toMatchObject({ name: 'PayloadMismatchError' });
  });

  it.each([new TerminalError('no'), new Error('not now')])('keeps nothing after %s', async (error) => {
    const { deliver, handled } = setUp(() => {
      throw error;
    });
    await deliver('a');
    await deliver('a');
    expect(handled).toHaveBeenCalledTimes(2);
  });

  it('keeps no success whose result could not be stored', async () => {
    const { deliver, handled } = setUp(() => 1n);
    await deliver('a');
    await deliver('a');
    expect(handled).toHaveBeenCalledTimes(2);
  });
});
