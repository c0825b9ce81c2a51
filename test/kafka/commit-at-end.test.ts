import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { bench, pass } from './support/bench.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';
import { toEventError } from '../../src/reporting/event-error.ts';

useFakeTimers();

const error = new Error('the coordinator is loading');

/** A batch that has ended, and whose last commit has failed. */
async function notCommitted() {
  const bed = bench();
  const first = bed.hold(10);
  const batch = fakeBatch([message(10)]);
  const handled = bed.run(batch);
  await pass();
  batch.does.commit = () => Promise.reject(error);
  first.open();
  await pass();
  expect([handled.state, batch.committed, batch.counts.commits]).toEqual(['ended', ['10'], 2]);
  return { ...bed, batch };
}

describe('after a batch has ended', () => {
  test('what is settled is committed at once', async () => {
    const { run } = bench();
    const batch = fakeBatch([message(10), message(11)]);
    run(batch);
    await pass();
    expect(batch.committed).toEqual(['10', '12']);
    await pass(60_000);
    expect(batch.counts.commits).toBe(2);
  });

  test('the position after everything that was read is committed, of what is not delivered too', async () => {
    const { run } = bench();
    const batch = fakeBatch([message(10), message(14)], { from: 7, last: 19 });
    run(batch);
    await pass();
    expect(batch.committed).toEqual(['7', '20']);
  });

  test('where its first position could not be committed, nothing has run, and it is fetched again later', async () => {
    const { run, started, eventsOf } = bench();
    const batch = fakeBatch([message(10)]);
    batch.does.commit = () => Promise.reject(error);
    run(batch);
    await pass();
    expect([started, eventsOf('partition-paused')]).toMatchObject([[], [{ retryAfterMs: 500 }]]);
  });

  test('nothing is committed twice when nothing has settled', async () => {
    const { run } = bench({
      work: () => {
        throw new Error('no');
      },
    });
    const batch = fakeBatch([message(10), message(11)]);
    run(batch);
    await pass();
    expect([batch.committed, batch.counts.commits]).toEqual([['10'], 1]);
  });

  test('what could not be committed is committed again each second, until it is', async () => {
    const { batch, eventsOf } = await notCommitted();
    await pass(2_000);
    expect(batch.counts.commits).toBe(4);
    const told = { type: 'client-error', verb: 'commit', error: toEventError(error) };
    expect(eventsOf('client-error')).toEqual(Array(3).fill(told));

    batch.does.commit = () => Promise.resolve();
    await pass(60_000);
    expect([batch.counts.commits, batch.committed]).toEqual([5, ['10', '11']]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a later batch of the partition commits for it', async () => {
    const { batch, run } = await notCommitted();
    const next = fakeBatch([message(11)]);
    run(next);
    await pass();
    expect(next.committed).toEqual(['11', '12']);
    await pass(60_000);
    expect([batch.committed, vi.getTimerCount()]).toEqual([['10'], 0]);
  });

  test.each<[string, (bed: Awaited<ReturnType<typeof notCommitted>>) => void]>([
    ['has stopped', ({ batch }) => (batch.does.isRunning = false)],
    [
      'has joined again, and will fetch it again',
      ({ consumer }) => {
        consumer.join({ orders: [0] });
      },
    ],
    [
      'has lost the partition',
      ({ consumer }) => {
        consumer.join({});
      },
    ],
  ])('nothing is committed for a consumer that %s', async (_, happens) => {
    const bed = await notCommitted();
    happens(bed);
    await pass(60_000);
    expect([bed.batch.counts.commits, vi.getTimerCount()]).toEqual([2, 0]);
  });

  test('what could not be committed before and after the group met is committed for the group as it is now', async () => {
    const { consumer, hold, run } = await notCommitted();
    consumer.join({ orders: [0] });
    const second = hold(11);
    const next = fakeBatch([message(10), message(11)]);
    run(next);
    await pass();
    next.does.commit = () => Promise.reject(error);
    second.open();
    await pass();
    next.does.commit = () => Promise.resolve();
    await pass(2_000);
    expect(next.committed.at(-1)).toBe('12');
  });

  test('the group’s own error is no event, and ends the next batch', async () => {
    const { batch, eventsOf, run } = await notCommitted();
    const refusal = Object.assign(new Error('no'), { type: 'ILLEGAL_GENERATION' });
    batch.does.commit = () => Promise.reject(refusal);
    await pass(2_000);
    expect(eventsOf('client-error')).toHaveLength(1);
    const next = run(fakeBatch([message(11)]));
    await pass();
    expect(next).toEqual({ state: 'threw', error: refusal });
  });
});
