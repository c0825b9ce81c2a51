import { describe, expect, it, vi } from 'vitest';
import { InvalidPayloadError, RetryableError, TerminalError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';

function throwing(error: unknown) {
  return vi.fn(() => {
    throw error;
  });
}

describe('a message whose handler throws', () => {
  const bench = usePostgresBench();

  it('fails for good on a TerminalError, and every redelivery replays it', async () => {
    const handleOnce = bench.handleOnce();
    const handler = throwing(new TerminalError('card is blocked', { code: 'CARD_BLOCKED' }));
    const failed = {
      state: 'failed',
      reason: 'terminal',
      error: { name: 'TerminalError', message: 'card is blocked', code: 'CARD_BLOCKED' },
      attempts: 1,
    };
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: false });
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: true });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('fails for good on a subclass of TerminalError', async () => {
    class CardBlocked extends TerminalError {}
    const outcome = await bench.handleOnce()('key', 'body', throwing(new CardBlocked('blocked')));
    expect(outcome).toMatchObject({ state: 'failed', reason: 'terminal' });
  });

  it('can say by itself that the payload is invalid', async () => {
    const outcome = await bench.handleOnce()(
      'key',
      'body',
      throwing(new InvalidPayloadError('no such order')),
    );
    expect(outcome).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
  });

  it('is free again once the retention of its failure has passed', async () => {
    const handleOnce = bench.handleOnce({ failedRetentionMs: 60_000 });
    await handleOnce('key', 'body', throwing(new TerminalError('no')));
    await bench.pass(60_001);
    expect(await handleOnce('key', 'body', () => 'yes')).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it.each([
    ['an Error', new Error('timeout')],
    ['a RetryableError', new RetryableError('rate limited', { retryAfterMs: 5_000 })],
    ['a string', 'text'],
    ['undefined', undefined],
  ])('is released on %s: pending, tried again after the backoff', async (_, error) => {
    const handleOnce = bench.handleOnce({ backoff: () => 5_000 });
    const released = await handleOnce('key', 'body', throwing(error));
    expect(released).toMatchObject({
      state: 'pending',
      reason: 'released',
      retryAfterMs: 5_000,
      attempts: 1,
    });

    await bench.pass(5_001);
    const attempts: number[] = [];
    const outcome = await handleOnce('key', 'body', (__, attempt) => attempts.push(attempt.number));
    expect(outcome).toMatchObject({ state: 'succeeded', replayed: false, attempts: 2 });
    expect(attempts).toEqual([2]);
  });

  it('answers a duplicate within the backoff with the error and the time that is left', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 60_000 });
    await handleOnce('key', 'body', throwing(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    await bench.pass(20_000);
    const handler = vi.fn();

    const outcome = await handleOnce('key', 'body', handler);

    expect(outcome).toMatchObject({
      state: 'pending',
      reason: 'released',
      attempts: 1,
      error: { name: 'Error', message: 'timeout', code: 'ETIMEDOUT' },
    });
    expect(outcome.state === 'pending' && outcome.retryAfterMs).toBeLessThanOrEqual(40_000);
    expect(outcome.state === 'pending' && outcome.retryAfterMs).toBeGreaterThan(0);
    expect(handler).not.toHaveBeenCalled();
  });

  it('fails with the last error when the last attempt throws, and not before', async () => {
    const handleOnce = bench.handleOnce({ maxAttempts: 3, backoff: () => 0 });
    const handler = vi.fn((_: string, attempt: { number: number }) => {
      throw new Error(`attempt ${attempt.number} failed`);
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ state: 'pending', attempts: 1 });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ state: 'pending', attempts: 2 });
    const failed = {
      state: 'failed',
      reason: 'attempts-exhausted',
      error: { name: 'Error', message: 'attempt 3 failed' },
      attempts: 3,
    };
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: false });
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: true });
    expect(handler).toHaveBeenCalledTimes(3);
  });

  it('fails at once with maxAttempts: 1', async () => {
    const outcome = await bench.handleOnce({ maxAttempts: 1 })('key', 'body', throwing(new Error('no')));
    expect(outcome).toMatchObject({ state: 'failed', reason: 'attempts-exhausted', attempts: 1 });
  });

  it('never runs out of attempts with maxAttempts: Infinity', async () => {
    const handleOnce = bench.handleOnce({ maxAttempts: Infinity, backoff: () => 0 });
    const handler = throwing(new Error('no'));
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      expect(await handleOnce('key', 'body', handler)).toMatchObject({ state: 'pending', attempts: attempt });
    }
  });

  it('fails at the claim when a smaller maxAttempts is configured later', async () => {
    const handler = throwing(new Error('no'));
    await bench.handleOnce({ scope: 'lowered', backoff: () => 0 })('key', 'body', handler);
    const outcome = await bench.handleOnce({ scope: 'lowered', maxAttempts: 1 })('key', 'body', handler);
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'attempts-exhausted',
      replayed: false,
      error: { message: 'no' },
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });
});
