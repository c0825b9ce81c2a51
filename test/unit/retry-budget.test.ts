import { describe, expect, test } from 'vitest';
import { createHandleOnce, retryBudget } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { issuesOf } from '../support/issues-of.ts';
import { SHORT_RETRIES } from '../../adapters/kafka/options/short-retries.ts';

const MINUTE = 60_000;
const ROUNDS = 2_000;

function handleOnce(options = {}) {
  return createHandleOnce({ store: createMemoryStore(), scope: 's', ...options });
}

describe('the retry budget', () => {
  test('of the defaults is 49 minutes in the median, and 98 at the most', () => {
    const { medianMs, longestMs, maxReceiveCount } = retryBudget(handleOnce().settings);
    expect(Math.round(medianMs / MINUTE)).toBe(49);
    expect(longestMs).toBe(2 * medianMs);
    expect(maxReceiveCount).toBe(27);
    expect(retryBudget()).toEqual(retryBudget(handleOnce().settings));
  });

  test('of a consumer whose partition waits is four minutes', () => {
    expect(Math.round(retryBudget(SHORT_RETRIES).medianMs / 1_000)).toBe(256);
  });

  test('is what half of the messages really wait', () => {
    const backoff = { baseMs: 100, maxMs: 3_000, factor: 3 };
    const sums = Array.from({ length: ROUNDS }, () => {
      let sum = 0;
      for (const bound of [100, 300, 900, 2_700, 3_000]) sum += Math.random() * bound;
      return sum;
    });
    const below = sums.filter((sum) => sum < retryBudget({ maxAttempts: 6, backoff }).medianMs).length;
    expect(below / ROUNDS).toBeGreaterThan(0.45);
    expect(below / ROUNDS).toBeLessThan(0.55);
  });

  test.each([30_000, 180_000, 7_200_000])(
    'and its waits are enough receives where a message comes every %i ms, as on Lambda',
    (visibilityMs) => {
      const { longestMs, maxReceiveCount } = retryBudget();
      const seconds = [1, 3, 9, 27, 81, 243, 729, 1_200, 1_200, 1_200, 1_200];
      const waits = seconds.map((bound) => Math.ceil((bound * 1_000) / visibilityMs));
      const receives = waits.reduce((sum, wait) => sum + wait, 1);
      const deathsAndWaits = 5 + 10;
      expect(maxReceiveCount + longestMs / visibilityMs).toBeGreaterThanOrEqual(receives + deathsAndWaits);
    },
  );

  test('takes what createHandleOnce takes, and refuses what it refuses', () => {
    expect(retryBudget({ maxAttempts: 2, backoff: { baseMs: 5_000 } }).longestMs).toBe(5_000);
    expect(retryBudget({ maxAttempts: 2_000_000_000 }).longestMs).toBeGreaterThan(1_999_999_000 * 1_200_000);
    const issue = { field: '', message: 'the retries must be an object' };
    expect(issuesOf(() => retryBudget(12 as never))).toEqual([issue]);
    for (const wrong of [{ maxAttempts: '12' }, { maxAttempts: 0 }, { backoff: { base: 1 } }, null]) {
      expect(issuesOf(() => retryBudget(wrong as object))).toHaveLength(1);
    }
  });

  test('has no end without a limit, and is unknown with a function', () => {
    expect(retryBudget(handleOnce({ maxAttempts: Infinity }).settings).medianMs).toBe(Infinity);
    expect(retryBudget({ maxAttempts: Infinity, backoff: { factor: 1 } }).medianMs).toBe(Infinity);
    expect(retryBudget(handleOnce({ backoff: () => 5 }).settings).medianMs).toBeNaN();
  });
});

describe('withRetries', () => {
  test('keeps the records, and what is not given', async () => {
    const patient = handleOnce({ maxAttempts: 3, backoff: { baseMs: 10 } });
    const once = patient.withRetries({ maxAttempts: 1 });
    expect(once.settings).toMatchObject({ maxAttempts: 1, backoff: { baseMs: 10 }, retriesWereChosen: true });
    expect(patient.settings.maxAttempts).toBe(3);
    const fail = () => Promise.reject(new Error('no'));
    expect(await once('key', 'body', fail)).toMatchObject({ state: 'failed', reason: 'attempts-exhausted' });
    expect(await patient('key', 'body', fail)).toMatchObject({ state: 'failed', replayed: true });
  });

  test('refuses what createHandleOnce refuses', () => {
    expect(issuesOf(() => handleOnce().withRetries({ maxAttempts: 0 }))).toMatchObject([
      { field: 'maxAttempts' },
    ]);
    expect(issuesOf(() => handleOnce().withRetries({ factor: 2 } as object))).toMatchObject([
      { field: 'factor' },
    ]);
  });
});
