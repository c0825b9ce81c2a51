import { expect, onTestFinished, test, vi } from 'vitest';
import type { DatabaseClient } from '../../src/index.ts';
import { Tally } from '../../adapters/operations/census.ts';
import { walk } from '../../adapters/operations/walk.ts';

const STEP_MS = 2_000;

vi.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) => {
    vi.advanceTimersByTime(milliseconds);
    return Promise.resolve();
  },
}));

/** A server on which each step takes two seconds. */
const slow = {
  query(statement: string) {
    if (statement.includes('delete')) vi.advanceTimersByTime(STEP_MS);
    return Promise.resolve(statement.includes('delete') ? [] : [['records', '100']]);
  },
} as unknown as DatabaseClient;

function walkFor(mayGoOn: () => boolean) {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const startedAt = performance.now();
  const runner = {
    token: '',
    from: { leaf: '', page: 0, tally: new Tally([]) },
    reached: () => Promise.resolve(true),
    finish: () => Promise.resolve(0),
    leave: () => Promise.resolve(0),
  };
  const done = walk({
    ...{ client: slow, table: 'records', archive: undefined, runner, mayGoOn },
    ...{ maintenance: 'maintenance', failures: 'failures' },
    ...{ abandonedAfterMs: 1, purgeAbandonedAfterMs: 1 },
  });
  return done.then((end) => ({ end, tookMs: performance.now() - startedAt }));
}

test('a walk rests four times as long as a step took, however long that was', async () => {
  expect(await walkFor(() => true)).toEqual({ end: 'finished', tookMs: 2 * 5 * STEP_MS });
});

test('a walk that is to stop does not rest to the end', async () => {
  let asked = 0;
  const { end, tookMs } = await walkFor(() => (asked += 1) < 3);
  expect(end).toBe('stopped');
  expect(tookMs).toBe(STEP_MS + 1_000);
});
