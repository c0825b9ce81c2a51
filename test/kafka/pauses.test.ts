import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPauses } from '../../adapters/kafka/pauses.ts';
import { fakeConsumer } from './support/fake-consumer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const PLACE = ['orders', 0] as const;

function pausesWith() {
  const consumer = fakeConsumer();
  const pauses = createPauses(consumer);
  const isPaused = () => consumer.isPaused(...PLACE);
  const withhold = (...waits: (number | undefined)[]) => pauses.withhold(...PLACE, waits);
  /** Withholds, and waits until that is over. Returns how long it took. */
  const sitOut = (...waits: (number | undefined)[]): number => {
    const told = withhold(...waits);
    const start = Date.now();
    while (isPaused()) vi.advanceTimersToNextTimer();
    expect(Date.now() - start).toBe(told);
    return told;
  };
  return { consumer, pauses, isPaused, withhold, sitOut };
}

describe('a withheld partition', () => {
  test('is paused, alone, until its time, and resumed once', () => {
    const { consumer, pauses, withhold } = pausesWith();
    expect(withhold(5_000)).toBe(5_000);
    expect(consumer.calls).toEqual(['pause orders/0']);
    expect([pauses.isPaused('orders', 0), pauses.isPaused('orders', 1), pauses.isPaused('order', 0)]).toEqual(
      [true, false, false],
    );
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

  test('begins anew when something settles, of that partition only', () => {
    const { pauses, sitOut } = pausesWith();
    sitOut(undefined);
    sitOut(undefined);
    pauses.progress('orders', 1);
    expect(sitOut(undefined)).toBe(2_000);
    pauses.progress(...PLACE);
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
    expect(pauses.withhold('orders', 1, [undefined])).toBe(500);
  });
});

describe("a user's pause", () => {
  test('outlasts ours', () => {
    const { pauses, isPaused, withhold } = pausesWith();
    withhold(100);
    const resume = pauses.pauseByUser(...PLACE);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(true);
    resume();
    expect(isPaused()).toBe(false);
  });

  test('that ends before ours does not end ours', () => {
    const { pauses, isPaused, withhold } = pausesWith();
    withhold(100);
    pauses.pauseByUser(...PLACE)();
    expect(isPaused()).toBe(true);
    vi.advanceTimersByTime(100);
    expect(isPaused()).toBe(false);
  });

  test('is not ended by a message that is withheld meanwhile', () => {
    const { consumer, pauses, isPaused, withhold } = pausesWith();
    const resume = pauses.pauseByUser(...PLACE);
    withhold(100);
    vi.advanceTimersByTime(1_000);
    expect([isPaused(), vi.getTimerCount()]).toEqual([true, 0]);
    resume();
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
  });

  test('of one partition is not that of another', () => {
    const { consumer, pauses } = pausesWith();
    pauses.pauseByUser('orders', 1);
    pauses.pauseByUser(...PLACE)();
    expect([consumer.isPaused('orders', 0), consumer.isPaused('orders', 1)]).toEqual([false, true]);
  });
});

test('a pause that somebody else has made is not ended by us', () => {
  const { consumer, isPaused, withhold } = pausesWith();
  consumer.pause([{ topic: 'orders', partitions: [0] }]);
  expect(withhold(100)).toBe(100);
  vi.advanceTimersByTime(1_000);
  expect([isPaused(), vi.getTimerCount()]).toEqual([true, 0]);
});

describe('a partition that another member has now', () => {
  test('is paused no more, and its timer is gone', () => {
    const { consumer, pauses, withhold } = pausesWith();
    withhold(60_000);
    pauses.forget(...PLACE);
    expect(consumer.calls).toEqual(['pause orders/0', 'resume orders/0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps a user's pause, as it does in the client", () => {
    const { consumer, pauses, isPaused } = pausesWith();
    const resume = pauses.pauseByUser(...PLACE);
    pauses.forget(...PLACE);
    expect([isPaused(), consumer.calls]).toEqual([true, ['pause orders/0']]);
    resume();
    expect(isPaused()).toBe(false);
  });

  test.each(['while it is paused', 'between two tries'])(
    'begins anew when it comes back: lost %s',
    (when) => {
      const { pauses, withhold, sitOut } = pausesWith();
      sitOut(undefined);
      withhold(undefined);
      if (when === 'between two tries') vi.runAllTimers();
      pauses.forget(...PLACE);
      expect(sitOut(undefined)).toBe(500);
    },
  );

  test('of which nothing was known is left alone', () => {
    const { consumer, pauses } = pausesWith();
    pauses.forget(...PLACE);
    expect(consumer.calls).toEqual([]);
  });
});

describe('a consumer that has stopped', () => {
  test('is not resumed when the time comes, and nothing is thrown', () => {
    const { consumer, withhold } = pausesWith();
    withhold(100);
    consumer.stopped = true;
    expect(() => vi.runAllTimers()).not.toThrow();
  });

  test('does not fail a handler that outlives it and pauses or resumes', () => {
    const { consumer, pauses } = pausesWith();
    const resume = pauses.pauseByUser(...PLACE);
    consumer.stopped = true;
    expect(resume).not.toThrow();
    expect(() => pauses.pauseByUser(...PLACE)).not.toThrow();
  });
});
