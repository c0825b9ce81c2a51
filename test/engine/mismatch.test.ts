import { describe, expect, it, vi } from 'vitest';
import { PayloadMismatchError, TerminalError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';
import { inFlight } from './support/in-flight.ts';

describe('a key that comes with another payload', () => {
  const bench = usePostgresBench();

  it.each([
    ['succeeded', () => 1],
    [
      'failed',
      () => {
        throw new TerminalError('no');
      },
    ],
    [
      'released',
      () => {
        throw new Error('again');
      },
    ],
  ])('is refused before anything runs when the record has %s', async (_, first) => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    await handleOnce('key "1"', { card: 'secret one' }, first);
    const handler = vi.fn();

    const refusal = await handleOnce('key "1"', { card: 'secret two' }, handler).catch(
      (error: unknown) => error,
    );

    expect(refusal).toBeInstanceOf(PayloadMismatchError);
    expect(refusal).toMatchObject({
      code: 'PAYLOAD_MISMATCH',
      retriable: false,
      scope: handleOnce.settings.scope,
      key: 'key "1"',
    });
    expect(String(refusal)).toContain(String.raw`key "key \"1\"" in scope`);
    expect(String(refusal)).not.toContain('secret');
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toMatchObject({ mismatch: 1 });
  });

  it('is refused while the first one runs, which is not disturbed', async () => {
    const handleOnce = bench.handleOnce();
    const first = await inFlight(handleOnce, () => 'done', 'one');
    await expect(handleOnce('key', 'two', vi.fn())).rejects.toThrow(PayloadMismatchError);
    first.finish();
    expect(await first.outcome).toMatchObject({ state: 'succeeded', result: 'done', attempts: 1 });
  });

  it('leaves a dead attempt of the first payload to the first payload', async () => {
    const handleOnce = bench.handleOnce({ backoff: () => 0 });
    await handleOnce('key', 'one', () => {
      throw new Error('again');
    });
    await expect(handleOnce('key', 'two', vi.fn())).rejects.toThrow(PayloadMismatchError);
    expect(await handleOnce('key', 'one', () => 1)).toMatchObject({ state: 'succeeded', attempts: 2 });
  });

  it('is a new message once the record has expired', async () => {
    const handleOnce = bench.handleOnce({ succeededRetentionMs: 60_000 });
    await handleOnce('key', 'one', () => 1);
    await bench.pass(60_001);
    expect(await handleOnce('key', 'two', () => 2)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      result: 2,
    });
  });

  it('tells a text, bytes and a value of the same content apart', async () => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', '1', () => 1);
    await expect(handleOnce('key', 1, vi.fn())).rejects.toThrow(PayloadMismatchError);
    await expect(handleOnce('key', Buffer.from('1'), vi.fn())).rejects.toThrow(PayloadMismatchError);
  });
});
