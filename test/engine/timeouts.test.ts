import { describe, expect, it } from 'vitest';
import { memoryBench } from './support/bench.ts';
import { aborted } from '../support/gate.ts';

describe('timeoutMs', () => {
  const bench = memoryBench();
  const untilAborted = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    throw await aborted(signal);
  };

  it.each([
    ['of the instance', { timeoutMs: 20 }, {}],
    ['of the call', {}, { timeoutMs: 20 }],
    ['of the call before the one of the instance', { timeoutMs: 1_000_000 }, { timeoutMs: 20 }],
  ])('%s aborts the attempt, which counts as failed', async (_, options, call) => {
    const handleOnce = bench.handleOnce({ ...options, backoff: () => 0 });
    expect(await handleOnce('key', 'body', untilAborted, call)).toMatchObject({
      state: 'pending',
      reason: 'released',
      attempts: 1,
      error: { name: 'TimeoutError', message: 'the attempt took longer than 20 ms' },
    });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ attempts: 2 });
  });

  it('fails the message when its last attempt takes too long', async () => {
    const handleOnce = bench.handleOnce({ timeoutMs: 20, maxAttempts: 1 });
    expect(await handleOnce('key', 'body', untilAborted)).toMatchObject({
      state: 'failed',
      reason: 'attempts-exhausted',
      error: { name: 'TimeoutError' },
    });
  });

  it('does not undo what a handler that ignores it has done', async () => {
    const outcome = await bench.handleOnce({ timeoutMs: 20 })('key', 'body', async (_, { signal }) => {
      await aborted(signal);
      return 'done all the same';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'done all the same' });
  });

  it('covers a schema that takes too long to answer', async () => {
    let seen: unknown;
    const outcome = await bench.handleOnce({ timeoutMs: 20 })(
      'key',
      'body',
      (_, { signal }) => {
        seen = signal.aborted;
      },
      {
        parse: async (body) => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          return body;
        },
      },
    );
    expect(outcome).toMatchObject({ state: 'succeeded' });
    expect(seen).toBe(true);
  });
});
