import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TerminalError } from '../../src/index.ts';
import { memoryBench } from './support/bench.ts';
import { flakyStore, refusesForGood } from './support/flaky-store.ts';

describe('when a message has ended', () => {
  const bench = memoryBench();

  /**
   * The shared timers ring once more, and find no callback: a heartbeat would set its alarm again. So does reporting.
   */
  function expectNothingLeft(): void {
    vi.advanceTimersByTime(3_600_000);
    expect(vi.getTimerCount()).toBe(0);
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['succeeded', () => 1],
    [
      'failed',
      () => {
        throw new TerminalError('never');
      },
    ],
    [
      'released',
      () => {
        throw new Error('again');
      },
    ],
  ])('and has %s, no heartbeat and no timer is left', async (_, handler) => {
    let during = 0;
    await bench.handleOnce({ timeoutMs: 1_000 })('key', 'body', () => {
      during = vi.getTimerCount();
      return handler();
    });
    expect(during).toBeGreaterThanOrEqual(3);
    expectNothingLeft();
  });

  it('and could not be settled, no heartbeat and no timer is left', async () => {
    const store = flakyStore(bench.store, { settle: refusesForGood });
    expect(await bench.handleOnce({ store, timeoutMs: 1_000 })('key', 'body', () => 1)).toMatchObject({
      reason: 'unrecorded',
    });
    expectNothingLeft();
  });
});
