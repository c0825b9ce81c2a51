import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bench, pass } from './support/bench.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';
import { toEventError } from '../../src/event-error.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A batch that has ended. The client then commits by itself, once; here that has failed, unless `uncommitted` is empty. */
async function ended(uncommitted: string[]) {
  const { run, eventsOf } = bench();
  const batch = fakeBatch([message(10)]);
  batch.does.uncommitted = uncommitted;
  const handled = run(batch);
  await pass();
  expect(handled.state).toBe('ended');
  batch.counts.commits = 0;
  return { batch, eventsOf, run };
}

describe('after a batch has ended', () => {
  test('what the client could not commit is committed again and again, until it is', async () => {
    const { batch, eventsOf } = await ended(['orders']);
    const error = new Error('the coordinator is loading');
    batch.does.commit = () => Promise.reject(error);
    await pass(3_000);
    expect(batch.counts.commits).toBe(3);
    const told = { type: 'client-error', verb: 'commit', error: toEventError(error) };
    expect(eventsOf('client-error')).toEqual(Array(3).fill(told));

    batch.does.commit = () => {
      batch.does.uncommitted = [];
      return Promise.resolve();
    };
    await pass(60_000);
    expect(batch.counts.commits).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('nothing is left to do when the client has committed', async () => {
    const { batch } = await ended([]);
    await pass(60_000);
    expect(batch.counts.commits).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('nothing is committed for a consumer that has stopped', async () => {
    const { batch } = await ended(['orders']);
    batch.does.isRunning = false;
    await pass(60_000);
    expect(batch.counts.commits).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('many batches share one timer', async () => {
    const { run, batch } = await ended(['orders']);
    const others = [11, 12, 13].map((offset) => fakeBatch([message(offset)]));
    for (const other of others) {
      other.does.uncommitted = ['orders'];
      run(other);
    }
    await pass(1_000);
    expect([batch, ...others].map(({ counts }) => counts.commits)).toEqual([1, 0, 0, 0]);
  });
});
