import { describe, expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { listenTo } from '../../adapters/kafka/client/kafkajs.ts';
import type { LogListener, Place } from '../../adapters/kafka/log/log-client.ts';
import { Pauses } from '../../adapters/kafka/partition/pauses.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fakeConsumer } from './support/fake-consumer.ts';

useFakeTimers();

const PLACE = { topic: 'orders', partition: 0 };
const OTHER = { topic: 'orders', partition: 1 };

function pausesWith() {
  const consumer = fakeConsumer();
  const listener = {
    stopping: () => Promise.resolve(),
    stopped: () => {
      pauses.clear();
    },
  };
  const pauses: Pauses = new Pauses(() => client, systemClock);
  const client = listenTo(consumer, { groupId: 'workers', listener: listener as LogListener, pauses });
  /** A user's own calls. */
  const user = {
    pause: (...partitions: number[]) => {
      consumer.pause([{ topic: 'orders', ...(partitions.length === 0 ? {} : { partitions }) }]);
    },
    resume: (...partitions: number[]) => {
      consumer.resume([{ topic: 'orders', ...(partitions.length === 0 ? {} : { partitions }) }]);
    },
  };
  const isPausedByUser = (place: Place) => pauses.user.has(place);
  const isPaused = () => consumer.isPaused('orders', 0);
  /** Those of the partitions 0 to 2 that are fetched. */
  const fetched = () => [0, 1, 2].filter((partition) => !consumer.isPaused('orders', partition));
  const withhold = (...waits: (number | undefined)[]) => pauses.withhold(PLACE, waits);
  /** Withholds, and waits until that is over. Returns how long it took. */
  const sitOut = (...waits: (number | undefined)[]): number => {
    const told = withhold(...waits);
    const start = Date.now();
    while (isPaused()) vi.advanceTimersToNextTimer();
    expect(Date.now() - start).toBe(told);
    return told;
  };
  return { consumer, pauses, user, isPaused, isPausedByUser, fetched, withhold, sitOut };
}

describe('a withheld partition', () => {
  test('is paused, alone, until its time, and resumed once', () => {
    const { consumer, isPausedByUser, fetched, withhold } = pausesWith();
    expect(withhold(5_000)).toBe(5_000);
    expect(consumer.calls).toEqual(['pause orders/0']);
    expect([fetched(), consumer.isPaused('order', 0)]).toEqual([[1, 2], false]);
    expect(isPausedByUser(PLACE)).toBe(false);
    vi.advanceTimersByTime(4_999);
    expect(consumer.calls).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for the shortest of many', () => {
    expect(pausesWith().sitOut(5_000, 300, 7_000)).toBe(300);
    expect(pausesWith().sitOut(5_000, undefined, 7_000)).toBe(500);
    expect(pausesWith().sitOut(undefined, 100)).toBe(100);
    expect(pausesWith().sitOut(0)).toBe(0);
  });

  test('waits for no longer than a timer can', () => {
    expect(pausesWith().withhold(2 ** 40)).toBe(2_147_483_647);
  });

  test('that is withheld again waits for the later time', () => {
    const { withhold, isPaused } = pausesWith();
    withhold(100);
    withhold(1_000);
    vi.advanceTimersByTime(999);
    expect([isPaused(), vi.getTimerCount()]).toEqual([true, 1]);
    vi.advanceTimersByTime(1);
    expect(isPaused()).toBe(false);
  });

  test('does not keep the process alive', () => {
    vi.useRealTimers();
    const handle = vi.spyOn(globalThis, 'setTimeout');
    const { withhold } = pausesWith();
    withhold(60_000);
    const [timer] = handle.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(timer?.hasRef()).toBe(false);
    clearTimeout(timer);
    handle.mockRestore();
  });
});

describe('the backoff', () => {
  test('doubles from half a second to 30 seconds', () => {
    const { sitOut } = pausesWith();
    const took = Array.from({ length: 9 }, () => sitOut(undefined));
    expect(took).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('begins again at the shortest when something settles, of that partition only', () => {
    const { pauses, sitOut } = pausesWith();
    sitOut(undefined);
    sitOut(undefined);
    pauses.progress(OTHER);
    expect(sitOut(undefined)).toBe(2_000);
    pauses.progress(PLACE);
    expect(sitOut(undefined)).toBe(500);
  });

  test('does not grow with waits that are known', () => {
    const { sitOut } = pausesWith();
    sitOut(10);
    sitOut(10, 20);
    expect(sitOut(undefined)).toBe(500);
  });

  test('grows by one step, however many messages have none of their own', () => {
    const { sitOut } = pausesWith();
    sitOut(undefined, undefined, undefined);
    expect(sitOut(undefined)).toBe(1_000);
  });

  test('of each partition is its own', () => {
    const { pauses, sitOut } = pausesWith();
    sitOut(undefined);
    expect(pauses.withhold(OTHER, [undefined])).toBe(500);
  });
});

describe("a user's pause", () => {
  test('outlasts ours', () => {
    const { pauses, isPaused, withhold } = pausesWith();
    withhold(100);
    const resume = pauses.pauseByUser(PLACE);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(true);
    resume();
    expect(isPaused()).toBe(false);
  });

  test('that ends before ours does not end ours', () => {
    const { pauses, isPaused, withhold } = pausesWith();
    withhold(100);
    pauses.pauseByUser(PLACE)();
    expect(isPaused()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(false);
  });

  test('is not ended by a message that is withheld meanwhile', () => {
    const { consumer, pauses, isPaused, withhold } = pausesWith();
    const resume = pauses.pauseByUser(PLACE);
    withhold(100);
    vi.advanceTimersByTime(1_000);
    expect([isPaused(), vi.getTimerCount()]).toEqual([true, 0]);
    resume();
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
  });

  test('of one partition is not that of another', () => {
    const { consumer, pauses, isPausedByUser } = pausesWith();
    pauses.pauseByUser(OTHER);
    pauses.pauseByUser(PLACE)();
    expect([consumer.isPaused('orders', 0), consumer.isPaused('orders', 1)]).toEqual([false, true]);
    expect([isPausedByUser(PLACE), isPausedByUser(OTHER)]).toEqual([false, true]);
  });

  test('made before ours is not ended by ours', () => {
    const { user, isPaused, withhold } = pausesWith();
    user.pause(0);
    expect(withhold(100)).toBe(100);
    vi.advanceTimersByTime(1_000);
    expect([isPaused(), vi.getTimerCount()]).toEqual([true, 0]);
    user.resume(0);
    expect(isPaused()).toBe(false);
  });

  test('made and ended while ours lasts does not end ours', () => {
    const { user, isPaused, withhold } = pausesWith();
    withhold(100);
    user.pause(0);
    user.resume(0);
    expect(isPaused()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(false);
  });

  test('does not make a partition due when our time is up', () => {
    const { user, pauses, withhold } = pausesWith();
    user.pause(0);
    withhold(100);
    vi.advanceTimersByTime(100);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });
});

describe("a user's pause of a whole topic", () => {
  test('outlasts ours, and is not lifted by it', () => {
    const { user, fetched, withhold } = pausesWith();
    user.pause();
    withhold(100);
    expect(fetched()).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([]);
    user.resume();
    expect(fetched()).toEqual([0, 1, 2]);
  });

  test('that ends before ours does not end ours', () => {
    const { user, fetched, withhold } = pausesWith();
    withhold(100);
    user.pause();
    expect(fetched()).toEqual([]);
    user.resume();
    expect(fetched()).toEqual([1, 2]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([0, 1, 2]);
  });

  test('does not end when one of its partitions was resumed and is withheld', () => {
    const { user, pauses, fetched, withhold } = pausesWith();
    user.pause();
    user.resume(0, 1);
    expect(fetched()).toEqual([0, 1]);
    withhold(100);
    expect(fetched()).toEqual([1]);
    pauses.withhold(OTHER, [200]);
    expect(fetched()).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([0]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([0, 1]);
  });

  test('that ends for one partition does not end ours', () => {
    const { user, fetched, withhold } = pausesWith();
    withhold(100);
    user.pause();
    user.resume(0);
    expect(fetched()).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([0]);
  });

  test('that ends by a pause of one partition, as it does in the client, does not end ours', () => {
    const { user, fetched, withhold } = pausesWith();
    withhold(100);
    user.pause();
    user.pause(1);
    expect(fetched()).toEqual([2]);
    vi.advanceTimersByTime(100);
    expect(fetched()).toEqual([0, 2]);
  });
});

describe('a partition that is held', () => {
  test('is paused until it is known', () => {
    const { pauses, fetched } = pausesWith();
    const resume = pauses.hold(PLACE);
    vi.advanceTimersByTime(3_600_000);
    expect(fetched()).toEqual([1, 2]);
    resume();
    expect(fetched()).toEqual([0, 1, 2]);
  });

  test('by two is held until the last is done, and the time it is withheld for is up', () => {
    const { pauses, withhold, isPaused } = pausesWith();
    const resumes = [pauses.hold(PLACE), pauses.hold(PLACE)];
    withhold(100);
    resumes[0]?.();
    vi.advanceTimersByTime(1_000);
    expect(isPaused()).toBe(true);
    withhold(100);
    resumes[1]?.();
    expect(isPaused()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(false);
  });

  test("keeps a user's pause", () => {
    const { pauses, user, isPaused } = pausesWith();
    const resume = pauses.hold(PLACE);
    user.pause(0);
    resume();
    expect(isPaused()).toBe(true);
  });

  test.each(['forget', 'clear'] as const)('is no more after %s, and what held it resumes nothing', (verb) => {
    const { pauses, withhold, isPaused } = pausesWith();
    const resume = pauses.hold(PLACE);
    pauses[verb](PLACE);
    withhold(100);
    resume();
    expect(isPaused()).toBe(true);
  });
});

describe('a partition whose time is up', () => {
  test('is due for all others, until it is fetched', () => {
    const { pauses, withhold } = pausesWith();
    withhold(100);
    vi.advanceTimersByTime(99);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
    vi.advanceTimersByTime(1);
    expect([pauses.isAnotherDue(OTHER), pauses.isAnotherDue(PLACE)]).toEqual([true, false]);
    pauses.fetched(OTHER);
    expect(pauses.isAnotherDue(OTHER)).toBe(true);
    pauses.fetched(PLACE);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });

  test('is not due while it is held: it cannot be fetched', () => {
    const { pauses, withhold } = pausesWith();
    pauses.hold(PLACE);
    withhold(100);
    vi.advanceTimersByTime(100);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });

  test('hurries the others for ten seconds at most: it may have nothing to fetch', () => {
    const { pauses, withhold } = pausesWith();
    withhold(100);
    vi.advanceTimersByTime(100 + 10_000);
    expect(pauses.isAnotherDue(OTHER)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });

  test('is told to all who wait, until they do no more', () => {
    const { pauses, sitOut } = pausesWith();
    const told = [vi.fn(), vi.fn()];
    const [end] = told.map((callback) => pauses.onDue(callback));
    sitOut(100);
    end?.();
    sitOut(100);
    expect(told.map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  });

  test.each(['forget', 'clear'] as const)('is due no more after %s', (verb) => {
    const { pauses, sitOut } = pausesWith();
    sitOut(100);
    pauses[verb](PLACE);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });
});

describe('a partition that its user has moved', () => {
  test('waits no more, and its backoff begins again', () => {
    const { pauses, withhold, isPaused, sitOut } = pausesWith();
    sitOut(undefined);
    withhold(60_000);
    pauses.fetched(PLACE);
    pauses.moved(PLACE);
    expect([isPaused(), vi.getTimerCount(), pauses.isAnotherDue(OTHER)]).toEqual([false, 0, true]);
    expect(sitOut(undefined)).toBe(500);
  });

  test('is not due where it waits for nothing', () => {
    const { pauses } = pausesWith();
    pauses.moved(PLACE);
    pauses.progress(PLACE);
    pauses.moved(PLACE);
    expect(pauses.isAnotherDue(OTHER)).toBe(false);
  });
});

describe('a partition that another member has now', () => {
  test('is paused no more, and its timer is gone', () => {
    const { consumer, pauses, withhold } = pausesWith();
    withhold(60_000);
    pauses.forget(PLACE);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is left alone by who has held it', () => {
    const { consumer, pauses } = pausesWith();
    const resume = pauses.hold(PLACE);
    pauses.forget(PLACE);
    resume();
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
  });

  test("keeps a user's pause, as it does in the client", () => {
    const { consumer, pauses, isPaused } = pausesWith();
    const resume = pauses.pauseByUser(PLACE);
    pauses.forget(PLACE);
    expect([isPaused(), consumer.calls]).toEqual([true, ['pause orders/0']]);
    resume();
    expect(isPaused()).toBe(false);
  });

  test.each(['while it is paused', 'between two tries'])(
    'begins again at the shortest when it comes back: lost %s',
    (when) => {
      const { pauses, withhold, sitOut } = pausesWith();
      sitOut(undefined);
      withhold(undefined);
      if (when === 'between two tries') vi.runAllTimers();
      pauses.forget(PLACE);
      expect(sitOut(undefined)).toBe(500);
    },
  );

  test('of which nothing was known is left alone', () => {
    const { consumer, pauses } = pausesWith();
    pauses.forget(PLACE);
    expect(consumer.calls).toEqual([]);
  });
});

describe('a consumer that has stopped', () => {
  test('has no pauses any more: its timers are gone, and the user’s pauses too', async () => {
    const { consumer, user, withhold, isPaused, isPausedByUser } = pausesWith();
    withhold(60_000);
    user.pause();
    await consumer.stop();
    expect([vi.getTimerCount(), isPausedByUser(PLACE)]).toEqual([0, false]);
    await consumer.run();
    withhold(100);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(false);
  });

  test('is not resumed when the time comes, and nothing is thrown', () => {
    const { consumer, withhold } = pausesWith();
    withhold(100);
    consumer.stopped = true;
    expect(() => vi.runAllTimers()).not.toThrow();
  });

  test('does not fail a handler that outlives it and pauses or resumes', () => {
    const { consumer, pauses } = pausesWith();
    const resume = pauses.pauseByUser(PLACE);
    consumer.stopped = true;
    expect(resume).not.toThrow();
    expect(() => pauses.pauseByUser(PLACE)).not.toThrow();
  });
});
