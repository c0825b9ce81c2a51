import { describe, expect, it, vi } from 'vitest';
import { usePostgresBench } from './support/bench.ts';

describe('a message whose handler returns', () => {
  const bench = usePostgresBench();

  it('runs once, with its payload, and the caller gets the result itself', async () => {
    const handleOnce = bench.handleOnce();
    const payload = { amount: 5 };
    const result = { charged: new Date(0) };
    const handler = vi.fn(() => result);

    const outcome = await handleOnce('key', payload, handler);

    expect(outcome).toStrictEqual({ state: 'succeeded', replayed: false, attempts: 1, result });
    expect(outcome.state === 'succeeded' && outcome.result).toBe(result);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(handler).toHaveBeenCalledWith(payload, expect.anything());
  });

  it('answers a redelivery from the record, also another instance and a payload built in another order', async () => {
    const handleOnce = bench.handleOnce({ scope: 'shared' });
    const other = bench.handleOnce({ scope: 'shared' });
    await handleOnce('key', { a: 1, b: 2 }, () => ({ id: 'ch_1' }));
    const again = vi.fn();

    const outcome = await other('key', { b: 2, a: 1 }, again);

    expect(outcome).toStrictEqual({
      state: 'succeeded',
      replayed: true,
      attempts: 1,
      result: { id: 'ch_1' },
    });
    expect(again).not.toHaveBeenCalled();
  });

  it('keeps scopes apart: the same key runs once in each', async () => {
    const handler = vi.fn();
    await bench.handleOnce()('key', 'body', handler);
    await bench.handleOnce()('key', 'body', handler);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('runs again once the retention has passed', async () => {
    const handleOnce = bench.handleOnce({ succeededRetentionMs: 60_000 });
    await handleOnce('key', 'body', () => 1);
    await bench.pass(60_001);
    expect(await handleOnce('key', 'body', () => 2)).toMatchObject({
      replayed: false,
      attempts: 1,
      result: 2,
    });
  });

  it('still answers from the record just before the retention has passed', async () => {
    const handleOnce = bench.handleOnce({ succeededRetentionMs: 60_000 });
    await handleOnce('key', 'body', () => 1);
    await bench.pass(30_000);
    expect(await handleOnce('key', 'body', () => 2)).toMatchObject({ replayed: true, result: 1 });
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['zero', 0],
    ['false', false],
    ['an empty string', ''],
    ['a text that looks like JSON', '{"a":1}'],
    ['the text null', 'null'],
    ['texts that JSON and SQL escape', '"\\\'{}\n\u0000\u2028 \ud83d\ude00'],
    ['a lone surrogate', '\ud800'],
    ['an empty array', []],
    ['a nested value', { list: [1, null, { deep: [''] }], none: null }],
  ])('replays %s as what it was', async (_, value) => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', 'body', () => value);
    expect(await handleOnce('key', 'body', () => 'ran again')).toStrictEqual({
      state: 'succeeded',
      replayed: true,
      attempts: 1,
      result: value,
    });
  });

  it('awaits a handler that returns a thenable', async () => {
    const handleOnce = bench.handleOnce();
    const outcome = await handleOnce('key', 'body', () => Promise.resolve('later'));
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'later' });
  });
});
