import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type HandleOnce, type Outcome, StoreError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';

const CALLS = 100_000;

const bench = usePostgresBench();

/** As a job runner does: what throws or is not over is tried again. */
async function untilOver(handleOnce: HandleOnce, key: string, handler: () => void): Promise<Outcome<void>> {
  for (;;) {
    try {
      const outcome = await handleOnce(key, 'body', handler);
      if (outcome.state !== 'pending') return outcome;
      await sleep(Math.min(outcome.retryAfterMs, 1_000));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await sleep(100);
    }
  }
}

it.each([
  ['with', true, CALLS],
  ['without', false, CALLS / 20],
])(
  '%s batching a queue that is longer than the lease costs no message an attempt',
  async (_, batching, calls) => {
    const handleOnce = bench.handleOnce({ leaseMs: 2_000, batching });
    let runs = 0;
    const outcomes = await Promise.all(
      Array.from({ length: calls }, (__, index) =>
        untilOver(handleOnce, `message-${index}`, () => {
          runs += 1;
        }),
      ),
    );
    const kinds = new Set(outcomes.map(({ state, attempts }) => `${state} at attempt ${attempts}`));
    expect([...kinds]).toEqual(['succeeded at attempt 1']);
    expect(runs).toBe(calls);
  },
  180_000,
);
