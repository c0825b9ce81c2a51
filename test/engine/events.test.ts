import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HandleOnceEvent, TerminalError } from '../../src/index.ts';
import { useBench } from './support/bench.ts';
import { flakyStore, isUnreachable, refusesData, refusesForGood } from './support/flaky-store.ts';

const bench = useBench('memory');

/** A `handleOnce` whose events are collected, without the scope that all of them carry. */
function observed(options: Parameters<typeof bench.handleOnce>[0] = {}) {
  const seen: Omit<HandleOnceEvent, 'scope'>[] = [];
  const handleOnce = bench.handleOnce({
    ...options,
    onEvent({ scope, ...event }) {
      expect(scope).toBe(handleOnce.settings.scope);
      seen.push(event);
    },
  });
  return { handleOnce, seen };
}

function throwing(error: unknown) {
  return () => {
    throw error;
  };
}

describe('events', () => {
  const key = 'key';

  it('tell of a run that succeeded, and of its replay', async () => {
    const { handleOnce, seen } = observed();
    await handleOnce(key, 'body', () => 1);
    await handleOnce(key, 'body', () => 1);
    expect(seen).toEqual([
      { type: 'claimed', key, attempts: 1 },
      { type: 'succeeded', key, attempts: 1 },
      { type: 'replayed', key, attempts: 1, state: 'succeeded' },
    ]);
    expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1, replayed: 1 });
  });

  it('tell why a result was omitted', async () => {
    const { handleOnce, seen } = observed({ storeResult: false });
    await handleOnce(key, 'body', () => 1);
    expect(seen.at(-1)).toEqual({ type: 'succeeded', key, attempts: 1, resultOmitted: 'not-stored' });
  });

  it('tell of a failure with the error itself, and of its replay', async () => {
    const { handleOnce, seen } = observed();
    const error = new TerminalError('never');
    await handleOnce(key, 'body', throwing(error));
    await handleOnce(key, 'body', throwing(error));
    expect(seen.slice(1)).toEqual([
      { type: 'failed', key, attempts: 1, reason: 'terminal', error },
      { type: 'replayed', key, attempts: 1, state: 'failed' },
    ]);
    expect(seen[1]).toHaveProperty('error', error);
  });

  it('tell of a release and of duplicates within the backoff', async () => {
    const { handleOnce, seen } = observed({ backoff: () => 60_000 });
    const error = new Error('again');
    await handleOnce(key, 'body', throwing(error));
    await handleOnce(key, 'body', throwing(error));
    expect(seen.slice(1)).toEqual([
      { type: 'released', key, attempts: 1, retryAfterMs: 60_000, error },
      { type: 'backing-off', key, attempts: 1, retryAfterMs: expect.any(Number) as number },
    ]);
  });

  it('tell of duplicates in flight, of a takeover, and of the lease that was lost to it', async () => {
    const { handleOnce, seen } = observed();
    await handleOnce(key, 'body', async () => {
      await handleOnce(key, 'body', () => 2);
      await bench.pass(30_001);
      await handleOnce(key, 'body', () => 3);
    });
    expect(seen).toEqual([
      { type: 'claimed', key, attempts: 1 },
      { type: 'in-flight', key, attempts: 1, retryAfterMs: expect.any(Number) as number },
      { type: 'taken-over', key, attempts: 2 },
      { type: 'succeeded', key, attempts: 2 },
      { type: 'lease-lost', key, attempts: 1 },
    ]);
  });

  it('tell that a released message is claimed, not taken over', async () => {
    const { handleOnce, seen } = observed({ backoff: () => 0 });
    await handleOnce(key, 'body', throwing(new Error('again')));
    await handleOnce(key, 'body', () => 1);
    expect(seen.map(({ type }) => type)).toEqual(['claimed', 'released', 'claimed', 'succeeded']);
  });

  it('tell of deaths used up at the claim', async () => {
    const { handleOnce, seen } = observed({ maxDeaths: 1 });
    const dead = bench.handleOnce({
      scope: handleOnce.settings.scope,
      store: flakyStore(bench.store, { settle: refusesForGood }),
    });
    await dead(key, 'body', () => 1);
    await bench.pass(30_001);
    await handleOnce(key, 'body', () => 1);
    expect(seen).toEqual([
      {
        type: 'failed',
        key,
        attempts: 1,
        reason: 'deaths-exhausted',
        error: expect.objectContaining({ name: 'DeathsExhaustedError' }) as unknown,
      },
    ]);
  });

  it('tell of a mismatch and of a call that was aborted', async () => {
    const { handleOnce, seen } = observed();
    await handleOnce(key, 'one', () => 1);
    await handleOnce(key, 'two', () => 1).catch(() => undefined);
    await handleOnce(key, 'one', () => 1, { signal: AbortSignal.abort() }).catch(() => undefined);
    expect(seen.slice(2)).toEqual([
      { type: 'mismatch', key },
      { type: 'aborted', key },
    ]);
  });

  it('tell of a claim that the store did not answer', async () => {
    const { handleOnce, seen } = observed({ store: flakyStore(bench.store, { claim: [isUnreachable] }) });
    await handleOnce(key, 'body', () => 1);
    expect(seen).toMatchObject([
      { type: 'store-error', key, verb: 'claim', error: { message: 'the store is unreachable' } },
      { type: 'claimed' },
      { type: 'succeeded' },
    ]);
  });

  it('tell of every settle that the store did not answer', async () => {
    const { handleOnce, seen } = observed({
      store: flakyStore(bench.store, { settle: [isUnreachable, refusesForGood] }),
    });
    await handleOnce(key, 'body', () => 1);
    expect(seen).toMatchObject([
      { type: 'claimed' },
      { type: 'store-error', key, verb: 'settle', error: { message: 'the store is unreachable' } },
      { type: 'store-error', key, verb: 'settle', error: { message: 'the statement was refused' } },
      { type: 'unrecorded', key, attempts: 1 },
    ]);
  });

  it('tell of a result that the store refused', async () => {
    const { handleOnce, seen } = observed({ store: flakyStore(bench.store, { settle: [refusesData] }) });
    await handleOnce(key, 'body', () => 1);
    expect(seen.at(-1)).toEqual({ type: 'succeeded', key, attempts: 1, resultOmitted: 'refused-by-store' });
  });

  it('never carry the payload or the result', async () => {
    const { handleOnce, seen } = observed();
    await handleOnce(key, { card: 'secret' }, () => 'secret');
    await handleOnce(key, { card: 'secret' }, () => 'secret');
    await handleOnce(key, { card: 'other secret' }, () => 'secret').catch(() => undefined);
    expect(seen).toHaveLength(4);
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  it('are counted apart for each instance, and the counts given out are a copy', async () => {
    const handleOnce = bench.handleOnce();
    const counts = handleOnce.counts();
    await handleOnce(key, 'body', () => 1);
    expect(counts).toEqual({});
    expect(bench.handleOnce().counts()).toEqual({});
  });
});

describe('an onEvent that fails', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('no metrics'))],
    ['rejects', () => Promise.reject(new Error('no metrics'))],
    ['throws what has no text', throwing(Object.create(null))],
    ['rejects with what has no text', () => Promise.reject(Object.create(null) as Error)],
    ['throws undefined', throwing(undefined)],
  ])('because it %s changes nothing, and is a warning of the process', async (_, onEvent) => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const outcome = await bench.handleOnce({ onEvent })('key', 'body', () => 1);
    expect(outcome).toMatchObject({ state: 'succeeded', result: 1 });
    await vi.waitFor(() => {
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^onEvent failed on claimed: /), 'HandleOnceWarning'],
        [expect.stringMatching(/^onEvent failed on succeeded: /), 'HandleOnceWarning'],
      ]);
    });
  });

  it('or that never ends holds nothing up', async () => {
    const handleOnce = bench.handleOnce({ onEvent: () => new Promise(() => undefined) });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
  });
});
