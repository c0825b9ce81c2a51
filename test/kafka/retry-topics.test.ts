import type { Outcome } from 'handle-once';
import type { KafkaMessage } from 'handle-once/kafka';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetryWaits } from '../../adapters/kafka/retry/retry-due.ts';
import { nextTopic } from '../../adapters/kafka/retry/retry-topics.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { BACKOFF_MS, bench, pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

describe('The next topic of a message', () => {
  const TOPICS = [
    { topic: 'retry-5s', delayMs: 5_000 },
    { topic: 'retry-1m', delayMs: 60_000 },
  ];
  const released = (attempts: number, retryAfterMs: number): Outcome<never> => ({
    state: 'pending',
    reason: 'released',
    attempts,
    retryAfterMs,
  });

  test.each<[from: string, attempts: number, retryAfterMs: number, to: string | undefined]>([
    ['orders', 1, 0, undefined],
    ['orders', 1, 4_999, undefined],
    ['orders', 1, 5_000, 'retry-5s'],
    ['orders', 2, 0, 'retry-5s'],
    ['orders', 2, 5_001, 'retry-1m'],
    ['orders', 2, 60_001, 'retry-1m'],
    ['retry-5s', 1, 0, 'retry-5s'],
    ['retry-1m', 9, 0, 'retry-5s'],
    ['retry-1m', 9, 60_000, 'retry-1m'],
  ])('from %s, after attempt %i with a wait of %i ms, is %s', (from, attempts, retryAfterMs, to) => {
    expect(nextTopic(TOPICS, from, released(attempts, retryAfterMs))?.topic).toBe(to);
  });

  test('of one that is deferred is the first that waits long enough, since no attempt counts', () => {
    const outcome: Outcome<never> = { state: 'pending', reason: 'deferred', attempts: 0, retryAfterMs: 0 };
    expect(nextTopic(TOPICS, 'orders', outcome)?.topic).toBe('retry-5s');
    expect(nextTopic(TOPICS, 'orders', { ...outcome, retryAfterMs: 5_001 })?.topic).toBe('retry-1m');
  });

  test.each<Outcome<unknown>>([
    { state: 'succeeded', replayed: false, attempts: 3, result: 1 },
    { state: 'failed', reason: 'terminal', replayed: false, attempts: 3, error: { name: 'E', message: '' } },
    { state: 'pending', reason: 'in-flight', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'suspect', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'lease-lost', attempts: 3, retryAfterMs: 1 },
    { state: 'pending', reason: 'unrecorded', attempts: 3, retryAfterMs: 1 },
  ])('is none for $state, $reason', (outcome) => {
    expect(nextTopic(TOPICS, 'orders', outcome)).toBeUndefined();
  });
});

describe('The messages of a retry topic', () => {
  const DELAY_MS = 5_000;
  const NOW = 1_800_000_000_000;
  const place = { topic: 'retry-5s', partition: 0 };
  const producedAt = (offset: number, at: number) => message(offset, { timestamp: String(NOW + at) });

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('are due when they have waited, and the next look is when the first of the others is due', () => {
    const waits = createRetryWaits(systemClock);
    const messages = [producedAt(0, -DELAY_MS), producedAt(1, -3_000), producedAt(2, -2_000)];
    const { due, nextAt } = waits.split(place, messages, DELAY_MS);
    expect(due).toEqual([messages[0]]);
    expect(nextAt).toBe(performance.now() + 2_000);
    vi.advanceTimersByTime(2_000);
    expect(waits.split(place, messages.slice(1), DELAY_MS).due).toEqual([messages[1]]);
  });

  test('wait no longer than the delay, whatever the clocks say', () => {
    const waits = createRetryWaits(systemClock);
    const messages = [producedAt(0, 3_600_000), producedAt(1, 3_600_000)];
    expect(waits.split(place, messages, DELAY_MS)).toEqual({ due: [], nextAt: performance.now() + DELAY_MS });
    vi.advanceTimersByTime(DELAY_MS - 1);
    expect(waits.split(place, messages, DELAY_MS).due).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(waits.split(place, messages, DELAY_MS)).toEqual({ due: messages, nextAt: undefined });
  });

  test('are not fetched for each that is due: the next look is a tenth of the delay away at least', () => {
    const messages = [producedAt(0, -DELAY_MS + 1)];
    expect(createRetryWaits(systemClock).split(place, messages, DELAY_MS).nextAt).toBe(
      performance.now() + DELAY_MS / 10,
    );
  });

  test('without a timestamp do not wait', () => {
    const messages = [message(0, { timestamp: '-1' })];
    expect(createRetryWaits(systemClock).split(place, messages, DELAY_MS).due).toEqual(messages);
  });
});

/** Of a group that consumes the topic `retry`. */
function adminOfRetries() {
  const admin = fakeAdmin({
    describeGroups: () =>
      Promise.resolve({ groups: [{ state: 'Stable', members: [{ topics: ['retry'] }] }] }),
  });
  admin.committed['retry/0'] = '0';
  return admin;
}

test('no copy is made by a run whose client has started again: its message is delivered again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const copies: unknown[] = [];
  const producer = { send: (record: unknown) => Promise.resolve(copies.push(record)) };
  const retry = { topics: [{ topic: 'retry', delayMs: 10_000 }], producer };
  const { consumer, run, hold, eventsOf } = bench({
    ...{ ordering: 'unordered', admin: adminOfRetries(), retry },
    work: () => {
      throw new Error('not yet');
    },
  });
  const assigned = { orders: [0], retry: [0] };
  consumer.join(assigned);
  const held = hold(10);
  run(fakeBatch([message(10)]));
  await pass();
  consumer.crash(new Error('no'), true);
  consumer.join(assigned);
  held.open();
  await pass();
  expect(eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
  expect(copies).toEqual([]);
  run(fakeBatch([message(10)]));
  await pass();
  expect(copies).toHaveLength(1);
});

test('a message that the retry topic refuses is kept, and one that it takes is acknowledged, not dead-lettered', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isDown = true;
  const producer = { send: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve()) };
  const topics = [
    { topic: 'late', delayMs: 50_000 },
    { topic: 'retry', delayMs: 10_000 },
  ];
  const admin = fakeAdmin({
    describeGroups: () =>
      Promise.resolve({ groups: [{ state: 'Stable', members: [{ topics: ['retry', 'late'] }] }] }),
  });
  admin.committed['late/0'] = '0';
  const { consumer, run, events } = bench({
    ...{ ordering: 'unordered', admin, retry: { topics, producer } },
    work: () => {
      throw new Error('not yet');
    },
  });
  consumer.join({ orders: [0], late: [0], retry: [0] });
  const place = { topic: 'orders', partition: 0, offset: '10', key: 'orders-0-10' };
  const refused = fakeBatch([message(10)]);
  run(refused);
  await pass();
  expect(refused.resolved).toEqual([]);
  isDown = false;
  await pass(BACKOFF_MS);
  const taken = fakeBatch([message(10)]);
  run(taken);
  await pass();
  expect(taken.resolved).toEqual(['10']);
  const to = 'late';
  const about = events.filter(({ type }) => /^(retry-.*|kept|acknowledged|dead-lettered)$/.test(type));
  expect(about).toMatchObject([
    { type: 'retry-error', ...place, to, error: { message: 'down' } },
    { type: 'kept', ...place, reason: 'retry-refused' },
    { type: 'retry-produced', ...place, to },
    { type: 'acknowledged', ...place },
  ]);
});

describe('A copy that its timestamp calls due too early', () => {
  const DELAY_MS = 10_000;
  const admin = adminOfRetries();

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A message has failed once, and a copy of it is in the retry topic, by another clock long ago. */
  async function setup(work: () => unknown, timestamp: string) {
    const copies: Pick<KafkaMessage, 'headers'>[] = [];
    const producer = {
      send({ messages }: { readonly messages: readonly Pick<KafkaMessage, 'headers'>[] }) {
        copies.push(...messages);
        return Promise.resolve();
      },
    };
    const retry = { topics: [{ topic: 'retry', delayMs: DELAY_MS }], producer };
    const bed = bench({ work, ordering: 'unordered', admin, retry });
    bed.consumer.join({ orders: [0], retry: [0] });
    bed.run(fakeBatch([message(0)]));
    await pass();
    expect(copies).toHaveLength(1);
    const copy = { ...message(0, { timestamp }), headers: copies[0]?.headers ?? {} };
    return {
      ...bed,
      copies,
      fetchCopy: async () => {
        const fetch = fakeBatch([copy], { topic: 'retry' });
        bed.run(fetch);
        await pass();
        return fetch.resolved;
      },
    };
  }

  const fails = () => {
    throw new Error('not yet');
  };

  test.each([
    ['by a clock that is behind', '1000'],
    ['since it has none', '-1'],
  ])('%s is not copied again before it has waited', async (_, timestamp) => {
    const { fetchCopy, copies, eventsOf } = await setup(fails, timestamp);
    expect(await fetchCopy()).toEqual([]);
    expect(copies).toHaveLength(1);
    expect(eventsOf('partition-paused')).toEqual([
      { type: 'partition-paused', topic: 'retry', partition: 0, retryAfterMs: DELAY_MS },
    ]);
    await pass(DELAY_MS);
    expect(await fetchCopy()).toEqual(['0']);
    expect(copies).toHaveLength(2);
  });

  test('waits no longer than its backoff', async () => {
    const { fetchCopy, eventsOf } = await setup(fails, '-1');
    await pass(BACKOFF_MS - 1_000);
    await fetchCopy();
    expect(eventsOf('partition-paused')).toMatchObject([{ retryAfterMs: 1_000 }]);
  });

  test('goes on to a retry topic at once when it has run', async () => {
    const { fetchCopy, copies, started } = await setup(fails, '-1');
    await pass(BACKOFF_MS);
    expect(await fetchCopy()).toEqual(['0']);
    expect([started.length, copies.length]).toEqual([2, 2]);
  });
});
