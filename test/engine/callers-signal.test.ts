import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { handlesOf } from '../../src/engine/hidden-handles.ts';
import { AbortedError, TerminalError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';
import { type Fault, flakyStore } from './support/flaky-store.ts';
import { aborted, gate } from '../support/gate.ts';

describe("the caller's signal", () => {
  const bench = usePostgresBench();

  it('aborted before the claim: nothing runs and nothing is counted', async () => {
    const handleOnce = bench.handleOnce();
    const handler = vi.fn();
    const reason = new Error('shutting down');
    const refusal = await handleOnce('key', 'body', handler, { signal: AbortSignal.abort(reason) }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(AbortedError);
    expect(refusal).toMatchObject({ code: 'ABORTED', retriable: true, cause: reason });
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toEqual({ aborted: 1 });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ attempts: 1 });
  });

  it('aborted in the handler: its reason reaches the handler, and the message is free at once, uncounted', async () => {
    const handleOnce = bench.handleOnce({ maxAttempts: 1, backoff: () => 60_000 });
    const controller = new AbortController();
    const reason = new Error('shutting down');
    const running = gate();
    const pending = handleOnce(
      'key',
      'body',
      async (_, attempt) => {
        running.open();
        throw await aborted(attempt.signal);
      },
      { signal: controller.signal },
    );
    await running.opened;
    controller.abort(reason);

    expect(await pending).toMatchObject({
      state: 'pending',
      reason: 'released',
      retryAfterMs: 0,
      attempts: 0,
      error: { message: 'shutting down' },
    });
    expect(await handleOnce('key', 'body', (_, { number }) => number)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      result: 1,
    });
  });

  it('aborted while the claim is under way: the handler does not start, and nothing is counted', async () => {
    const claimed = gate();
    const answer = gate();
    const slow: Fault = async (send) => {
      const reply = await send();
      claimed.open();
      await answer.opened;
      return reply;
    };
    const handleOnce = bench.handleOnce({
      store: flakyStore(bench.store, { claim: [slow] }),
      maxAttempts: 1,
    });
    const controller = new AbortController();
    const handler = vi.fn();
    const pending = handleOnce('key', 'body', handler, { signal: controller.signal });
    await claimed.opened;
    controller.abort(new Error('shutting down'));
    answer.open();

    expect(await pending).toMatchObject({
      state: 'pending',
      reason: 'released',
      retryAfterMs: 0,
      error: { message: 'shutting down' },
    });
    expect(handler).not.toHaveBeenCalled();
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('aborted for the handler that returns all the same: succeeded', async () => {
    const handleOnce = bench.handleOnce();
    const controller = new AbortController();
    const outcome = await handleOnce(
      'key',
      'body',
      () => {
        controller.abort();
        return 'done';
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'done' });
  });

  it('aborted for the handler that ends with a TerminalError: failed', async () => {
    const controller = new AbortController();
    const outcome = await bench.handleOnce()(
      'key',
      'body',
      () => {
        controller.abort();
        throw new TerminalError('never');
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ state: 'failed', reason: 'terminal' });
  });

  it.each([
    ['aborts while the handler waits for its turn', true],
    ['is still, and the turn does not come', false],
  ])('%s: the handler does not start, and nothing is counted', async (_, isAborted) => {
    const { handle } = handlesOf(bench.handleOnce({ maxAttempts: 1 }));
    const controller = new AbortController();
    const handler = vi.fn();
    const mayStart = (): Promise<boolean> => {
      if (isAborted) controller.abort();
      return Promise.resolve(isAborted);
    };
    const outcome = await handle({
      ...{ key: 'key', content: 'body', handler, mayStart },
      signal: controller.signal,
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 0 });
    expect(handler).not.toHaveBeenCalled();
  });

  it('keeps no listener after the message, however it ended', async () => {
    const handleOnce = bench.handleOnce();
    const { signal } = new AbortController();
    const during: number[] = [];
    const handlers = [
      () => during.push(getEventListeners(signal, 'abort').length),
      () => {
        throw new Error('again');
      },
      () => {
        throw new TerminalError('never');
      },
    ];
    for (const [index, handler] of handlers.entries()) {
      await handleOnce(`key-${index}`, 'body', handler, { signal });
      await handleOnce(`key-${index}`, 'body', handler, { signal });
    }
    expect(during).toEqual([1]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe("the caller's signal, and the table", () => {
  const bench = usePostgresBench();

  it('aborted before the claim writes nothing', async () => {
    const handleOnce = bench.handleOnce();
    await expect(handleOnce('key', 'body', vi.fn(), { signal: AbortSignal.abort() })).rejects.toThrow(
      AbortedError,
    );
    expect(await bench.record(handleOnce.settings.scope, 'key')).toBeUndefined();
  });

  it('aborted in the handler gives the attempt back', async () => {
    const handleOnce = bench.handleOnce();
    const controller = new AbortController();
    const stop = () => {
      controller.abort();
      throw new Error('stopped');
    };
    await handleOnce('key', 'body', stop, { signal: controller.signal });
    expect(await bench.record(handleOnce.settings.scope, 'key')).toMatchObject({
      state: 'pending',
      owned: false,
      attempts: 0,
    });
  });
});
