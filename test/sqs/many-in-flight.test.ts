import { expect, test, vi } from 'vitest';
import { after, slowQueue, useFakeTime } from './support/slow-queue.ts';

useFakeTime();

const CHANGE = 'ChangeMessageVisibilityBatch';
const DELETE = 'DeleteMessageBatch';

test('of 1,000 messages in flight at 400 ms a call none loses its visibility', async () => {
  const { queue, worker, handleOnce } = slowQueue({
    ...{ callMs: 400, concurrency: 1_000, visibilityTimeoutSeconds: 30 },
    handler: () => after(45_000),
  });
  for (let n = 0; n < 1_000; n += 1) queue.send(String(n));
  await worker.start();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(worker.health().queue.inFlight).toBe(1_000);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(queue.deadLetters()).toHaveLength(0);
  expect(worker.counts()).toMatchObject({ received: 1_000, acknowledged: 1_000 });
  expect(worker.counts()).not.toHaveProperty('visibility-lost');
  expect(handleOnce.counts()).toMatchObject({ claimed: 1_000, succeeded: 1_000 });
});

test('two heartbeats that hang cost no message its visibility, neither theirs nor that of 48 others', async () => {
  let hanging = 2;
  const { queue, worker, handleOnce } = slowQueue({
    ...{ callMs: 20, concurrency: 100, visibilityTimeoutSeconds: 12 },
    handler: () => after(30_000),
    hangs: (verb) => verb === CHANGE && hanging-- > 0,
  });
  for (let n = 0; n < 68; n += 1) queue.send(String(n));
  await worker.start();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(queue.deadLetters()).toHaveLength(0);
  expect(queue.messages()).toHaveLength(0);
  expect(worker.counts()).toMatchObject({ received: 68, acknowledged: 68 });
  expect(worker.counts()).not.toHaveProperty('visibility-lost');
  expect(handleOnce.counts()).toMatchObject({ claimed: 68, succeeded: 68 });
});

test('deletes are not held up by their round trips, nor by one that hangs', async () => {
  let hanging = 1;
  const { queue, worker } = slowQueue({
    ...{ callMs: 230, concurrency: 200, visibilityTimeoutSeconds: 60 },
    handler: () => undefined,
    hangs: (verb) => verb === DELETE && hanging-- > 0,
  });
  for (let n = 0; n < 1_000; n += 1) queue.send(String(n));
  await worker.start();
  // Two calls at a time would take 11.5 seconds, and far more with one of them.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queue.messages().length).toBeLessThanOrEqual(10);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(queue.messages()).toHaveLength(0);
  expect(worker.counts()).not.toHaveProperty('queue-error');
});

test('a delete that hangs is given up while there is time for another', async () => {
  let hanging = 1;
  const { queue, worker } = slowQueue({
    ...{ callMs: 20, concurrency: 50, visibilityTimeoutSeconds: 12 },
    handler: () => after(1_000),
    hangs: (verb) => verb === DELETE && hanging-- > 0,
  });
  for (let n = 0; n < 50; n += 1) queue.send(String(n));
  await worker.start();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(queue.deadLetters()).toHaveLength(0);
  expect(queue.messages()).toHaveLength(0);
  expect(worker.counts()).toMatchObject({ received: 50, acknowledged: 50 });
});

// Its place between two beats decides how much time is left at its first heartbeat.
test.each([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500])(
  'a heartbeat that hangs is sent again at once, of a message sent %i ms after another',
  async (afterMs) => {
    let hanging = 0;
    const { queue, worker } = slowQueue({
      ...{ callMs: 900, concurrency: 10, visibilityTimeoutSeconds: 12 },
      handler: () => after(30_000),
      hangs: (verb) => verb === CHANGE && hanging-- > 0,
    });
    queue.send('1');
    await worker.start();
    await vi.advanceTimersByTimeAsync(6_000 + afterMs);
    queue.send('2');
    await vi.advanceTimersByTimeAsync(3_000);
    hanging = 1;
    await vi.advanceTimersByTimeAsync(45_000);
    expect(queue.deadLetters()).toHaveLength(0);
    expect(worker.counts()).toMatchObject({ received: 2, acknowledged: 2 });
  },
);

test('calls of 100 messages in flight are full', async () => {
  const slow = slowQueue({
    ...{ callMs: 50, concurrency: 100, visibilityTimeoutSeconds: 30 },
    handler: () => after(25_000),
  });
  for (let n = 0; n < 100; n += 1) slow.queue.send(String(n));
  await slow.worker.start();
  await vi.advanceTimersByTimeAsync(15_000);
  const changes = slow.calls(CHANGE);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(slow.worker.health().queue.inFlight).toBe(100);
  expect(slow.calls(CHANGE) - changes).toBe(10);
});
