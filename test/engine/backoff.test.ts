import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Backoff, RetryableError } from '../../src/index.ts';
import type { BackoffBounds } from '../../src/options/backoff.ts';
import { memoryBench } from './support/bench.ts';

const TWELVE_HOURS_MS = 43_200_000;
const bench = memoryBench();

afterEach(() => vi.restoreAllMocks());

/** How long the first `attempts` attempts of a message each had to wait. */
async function waits(backoff: BackoffBounds | Backoff | undefined, attempts: number): Promise<number[]> {
  const handleOnce = bench.handleOnce({ backoff, maxAttempts: Infinity });
  const found: number[] = [];
  while (found.length < attempts) {
    const outcome = await handleOnce('key', 'body', () => {
      throw new Error('again');
    });
    if (outcome.state !== 'pending') throw new Error(`ended ${outcome.state}`);
    found.push(outcome.retryAfterMs);
    await bench.pass(outcome.retryAfterMs + 1);
  }
  return found;
}

async function waitAfter(error: unknown, backoff?: Backoff): Promise<number | undefined> {
  const outcome = await bench.handleOnce({ backoff })('key', 'body', () => {
    throw error;
  });
  return outcome.state === 'pending' ? outcome.retryAfterMs : undefined;
}

describe('the exponential backoff', () => {
  it('multiplies its upper end with each failure, up to maxMs', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    expect(await waits({ baseMs: 100, maxMs: 1_000 }, 4)).toEqual([100, 300, 900, 1_000]);
    expect(await waits({ baseMs: 100, maxMs: 1_000, factor: 2 }, 5)).toEqual([100, 200, 400, 800, 1_000]);
    expect(await waits({ baseMs: 100, factor: 1 }, 3)).toEqual([100, 100, 100]);
  });

  it('has full jitter: its lower end is nothing', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    expect(await waits({ baseMs: 100, maxMs: 1_000 }, 3)).toEqual([0, 0, 0]);
  });

  it('goes from 1 s to 20 min by default', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    expect(await waits(undefined, 10)).toEqual([
      1_000, 3_000, 9_000, 27_000, 81_000, 243_000, 729_000, 1_200_000, 1_200_000, 1_200_000,
    ]);
  });

  it('keeps the default of the bound that is not given', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    expect(await waits({ maxMs: 1_500 }, 2)).toEqual([1_000, 1_500]);
    expect(await waits({ baseMs: 10 }, 2)).toEqual([10, 30]);
  });

  it('waits for whole milliseconds within the bounds after a thousand attempts too', async () => {
    for (const wait of await waits({ baseMs: 7, maxMs: 1_000 }, 1_100)) {
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(1_000);
    }
  });
});

describe('a backoff function', () => {
  it('gets the attempt and the error', async () => {
    const error = new Error('again');
    const backoff = vi.fn<Backoff>(() => 1_234.5);
    expect(await waitAfter(error, backoff)).toBe(1_235);
    expect(backoff.mock.calls).toEqual([[1, error]]);
  });

  it.each([
    ['negative', -5, 0],
    ['infinite', Infinity, TWELVE_HOURS_MS],
    ['negative and infinite', -Infinity, 0],
    ['longer than SQS can wait', TWELVE_HOURS_MS + 1, TWELVE_HOURS_MS],
  ])('is bounded when it returns a %s time', async (_, returned, wait) => {
    expect(await waitAfter(new Error('again'), () => returned)).toBe(wait);
  });

  it.each<[string, () => unknown]>([
    ['returns NaN', () => NaN],
    ['returns undefined', () => undefined],
    ['returns a text', () => '1000'],
    ['returns a promise', () => Promise.resolve(5)],
    [
      'throws',
      () => {
        throw new Error('no backoff');
      },
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
    ],
  ])('that %s is replaced by the default, with a warning', async (_, backoff) => {
    vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    expect(await waitAfter(new Error('again'), backoff as Backoff)).toBe(1_000);
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^backoff .* the default applies/), {
      type: 'HandleOnceWarning',
      code: 'BACKOFF_FAILED',
    });
  });
});

describe('RetryableError.retryAfterMs', () => {
  const never: Backoff = () => {
    throw new Error('the backoff is not asked');
  };

  it.each([
    ['as it is', 5_000, 5_000],
    ['as no wait', 0, 0],
    ['rounded up', 0.2, 1],
    ['as no wait when negative', -1, 0],
    ['as the longest wait when infinite', Infinity, TWELVE_HOURS_MS],
  ])('is taken %s', async (_, retryAfterMs, wait) => {
    expect(await waitAfter(new RetryableError('later', { retryAfterMs }), never)).toBe(wait);
  });

  it.each([
    ['left out', new RetryableError('later')],
    ['NaN', new RetryableError('later', { retryAfterMs: NaN })],
    ['not a number', new RetryableError('later', { retryAfterMs: '9' as unknown as number })],
  ])('leaves the wait to the backoff when it is %s', async (_, error) => {
    expect(await waitAfter(error, () => 77)).toBe(77);
  });
});
