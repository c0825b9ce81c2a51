import { AsyncLocalStorage } from 'node:async_hooks';
import { type Around, type BeginningAttempt, createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';

function bench(around: Around) {
  const complaints: string[] = [];
  const logger = {
    error: () => undefined,
    info: () => undefined,
    warn: (_: unknown, text: string) => complaints.push(text),
  };
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'billing', backoff: () => 0, around, logger });
  return { handleOnce, complaints };
}

describe('A hook around attempts', () => {
  test('gets what begins, and sets up what is there in the handler', async () => {
    const seen: BeginningAttempt[] = [];
    const storage = new AsyncLocalStorage<string>();
    const { handleOnce } = bench((attempt, run) => {
      seen.push(attempt);
      return storage.run(`attempt ${attempt.number}`, run);
    });
    const outcome = await handleOnce('k', 'body', async () => {
      await Promise.resolve();
      return storage.getStore();
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'attempt 1' });
    await handleOnce('k', 'body', () => 'again');
    expect(seen).toEqual([
      { scope: 'billing', key: 'k', number: 1, source: undefined, batchSize: undefined },
    ]);
  });

  test('gets what the handler throws, and changes nothing by passing it on', async () => {
    const seen: unknown[] = [];
    const { handleOnce, complaints } = bench(async (_, run) => {
      try {
        await run();
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    const error = new Error('no card');
    expect(await handleOnce('k', 'body', () => Promise.reject(error))).toMatchObject({ reason: 'released' });
    expect(seen).toEqual([error]);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).not.toContain('hook');
  });

  const FAULTY: [string, Around, boolean][] = [
    ['throws before', () => Promise.reject(new Error('no tracer')), true],
    ['does not run the attempt', () => Promise.resolve(), false],
    [
      'throws after',
      async (_, run) => {
        await run();
        throw new Error('no exporter');
      },
      true,
    ],
    [
      'throws an error of its own for that of the handler',
      (_, run) => run().catch(() => Promise.reject(new Error('no exporter'))),
      true,
    ],
    ['hides what the handler throws', (_, run) => run().catch(() => undefined), false],
    ['runs it twice', async (_, run) => [await run(), await run()], false],
    ['does not end', (_, run) => run().then(() => new Promise(() => undefined)), false],
  ];

  test.each(FAULTY)('that %s changes nothing', async (_, around, isReported) => {
    const { handleOnce, complaints } = bench(around);
    const handler = vi.fn(() => 'done');
    expect(await handleOnce('k', 'body', handler)).toMatchObject({ state: 'succeeded', result: 'done' });
    expect(handler).toHaveBeenCalledTimes(1);
    const fails = () => Promise.reject(new Error('no'));
    expect(await handleOnce('bad', 'body', fails)).toMatchObject({ state: 'pending', reason: 'released' });
    expect(complaints.some((text) => text.includes('the around hook failed'))).toBe(isReported);
  });

  test('is not asked where the turn of a message has not come', async () => {
    const around = vi.fn<Around>((_, run) => run());
    const { handleOnce } = bench(around);
    const caller = AbortSignal.abort();
    await expect(handleOnce('k', 'body', () => 1, { signal: caller })).rejects.toThrow();
    expect(around).not.toHaveBeenCalled();
  });
});
