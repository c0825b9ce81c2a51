import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Arrivals } from '../../bench/latency/arrivals.ts';
import { sharedClock } from '../../bench/latency/clock.ts';
import { compareLatencies } from '../../bench/latency/compare-latencies.ts';
import { openLoop } from '../../bench/latency/open-loop.ts';
import type { Contender } from '../../bench/core/contender.ts';

describe('openLoop', () => {
  it('counts how long messages wait behind others for their start', async () => {
    let handled = 0;
    const contender = contenderOf(() => {
      handled += 1;
      if (handled === 1) standStill(300);
    });
    const keys = Array.from({ length: 20 }, (_, index) => `m-${index}`);
    const { p50 } = await openLoop(contender, { keys, perSecond: 1_000, arrivals });
    expect(handled).toBe(20);
    // All were due some 20 ms after the first.
    expect(p50).toBeGreaterThan(100);
  });
});

describe('compareLatencies', () => {
  it('says what each adds to the base, round by round', () => {
    const of = (alone: number[], ours: number[]) => [
      { contender: 'alone', rates: alone },
      { contender: 'ours', rates: ours },
    ];
    const measured = new Map([
      ['fresh', of([10, 10, 10], [10, 9, 8])],
      ['p50', of([5, 6, 9], [7, 7, 10])],
      ['p99', of([8, 8, 8], [9, 20, 10])],
    ]);
    const { contenders } = compareLatencies({ arrivals: 'few' }, measured, 'alone');
    expect(contenders).toEqual([
      {
        contender: 'alone',
        messagesPerSecond: { min: 10, median: 10, max: 10 },
        latencies: { p50: { min: 5, median: 6, max: 9 }, p99: { min: 8, median: 8, max: 8 } },
      },
      {
        contender: 'ours',
        messagesPerSecond: { min: 8, median: 9, max: 10 },
        latencies: {
          'p50 added': { min: 1, median: 1, max: 2 },
          'p99 added': { min: 1, median: 2, max: 12 },
          p50: { min: 7, median: 7, max: 10 },
          p99: { min: 9, median: 10, max: 20 },
        },
      },
    ]);
  });
});

/** In this process: that of the benchmark needs tsx. */
const arrivals: Arrivals = {
  async handleEach(all, handle) {
    const handled: Promise<void>[] = [];
    for (const one of all) {
      while (sharedClock() < one.dueAt) await nextTurn();
      handled.push(handle(one));
    }
    await Promise.all(handled);
  },
  stop: () => Promise.resolve(),
};

function contenderOf(act: () => void): Contender {
  return {
    name: 'scripted',
    work: { name: 'scripted', done: () => Promise.resolve(0) },
    handle: () => {
      act();
      return Promise.resolve();
    },
    succeeded: () => Promise.resolve(0),
  };
}

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, milliseconds);
}
