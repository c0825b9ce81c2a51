import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HandleOnceEvent, TerminalError } from '../../src/index.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import { memoryBench } from './support/bench.ts';
import { flakyStore, isUnreachable, refusesData, refusesForGood } from './support/flaky-store.ts';
import { expectSoon } from '../support/until.ts';

const bench = memoryBench();

/** A `handleOnce` whose events are collected, without the scope and the time that it took. */
function observed(options: Parameters<typeof bench.handleOnce>[0] = {}) {
  const seen: Omit<HandleOnceEvent, 'scope' | 'durationMs'>[] = [];
  const all: HandleOnceEvent[] = [];
  const handleOnce = bench.handleOnce({
    ...options,
    onEvent(event) {
      const { scope, durationMs, ...rest } = { durationMs: undefined, ...event };
      expect([scope, typeof durationMs]).toEqual([scope, 'state' in rest ? 'number' : 'undefined']);
      seen.push(rest);
      all.push(event);
    },
  });
  return { handleOnce, seen, all };
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
      { type: 'succeeded', key, attempts: 1, state: 'succeeded' },
      { type: 'replayed', key, attempts: 1, state: 'succeeded' },
    ]);
    expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1, replayed: 1 });
  });

  it('tell why a result was omitted', async () => {
    const { handleOnce, seen } = observed({ storeResult: false });
    await handleOnce(key, 'body', () => 1);
    expect(seen.at(-1)).toMatchObject({ type: 'succeeded', resultOmitted: 'not-stored' });
  });

  it('tell of a failure with its error, and of its replay', async () => {
    const { handleOnce, seen } = observed();
    const error = new TerminalError('never', { code: 'BLOCKED', cause: new Error('card') });
    await handleOnce(key, 'body', throwing(error));
    await handleOnce(key, 'body', throwing(error));
    const cause = { name: 'Error', message: 'card' };
    const told = { name: 'TerminalError', message: 'never', code: 'BLOCKED', cause };
    const end = { key, attempts: 1, state: 'failed' };
    expect(seen.slice(1)).toEqual([
      { type: 'failed', ...end, reason: 'terminal', error: told },
      { type: 'replayed', ...end },
    ]);
    expect(JSON.parse(JSON.stringify(seen[1]))).toEqual(seen[1]);
    expect(seen[1]).toHaveProperty('error.original', error);
  });

  it('tell of a release and of duplicates within the backoff', async () => {
    const { handleOnce, seen } = observed({ backoff: () => 60_000 });
    await handleOnce(key, 'body', throwing(new Error('again')));
    await handleOnce(key, 'body', throwing(new Error('again')));
    const error = { name: 'Error', message: 'again' };
    const end = { key, attempts: 1, state: 'pending' };
    expect(seen.slice(1)).toEqual([
      { type: 'released', ...end, retryAfterMs: 60_000, error },
      { type: 'backing-off', ...end, retryAfterMs: expect.any(Number) as number },
    ]);
  });

  it('tell of a throw of undefined as of an error', async () => {
    const { handleOnce, seen } = observed();
    await handleOnce(key, 'body', throwing(undefined));
    expect(seen.at(-1)).toMatchObject({ type: 'released', error: { name: 'NonErrorThrown' } });
  });

  it('tell of a handler that its caller interrupted', async () => {
    const { handleOnce, seen } = observed();
    const caller = new AbortController();
    const stop = () => {
      caller.abort();
      throw new Error('stopped');
    };
    await handleOnce(key, 'body', stop, { signal: caller.signal });
    expect(seen.at(-1)).toMatchObject({ type: 'released', interrupted: true });
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
      { type: 'in-flight', key, attempts: 1, state: 'pending', retryAfterMs: expect.any(Number) as number },
      { type: 'taken-over', key, attempts: 2, from: expect.stringMatching(/^[0-9a-f]{8}$/) as string },
      { type: 'succeeded', key, attempts: 2, state: 'succeeded' },
      { type: 'lease-lost', key, attempts: 1, state: 'pending' },
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
        state: 'failed',
        reason: 'deaths-exhausted',
        from: WORKER_ID,
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
      { type: 'mismatch', key, attempts: 0, state: 'pending' },
      { type: 'aborted', key, attempts: 0, state: 'pending' },
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
      { type: 'unrecorded', key, attempts: 1, state: 'pending' },
    ]);
  });

  it('report an error that was not recorded', async () => {
    const { handleOnce, seen } = observed({ store: flakyStore(bench.store, { settle: refusesForGood }) });
    await handleOnce(key, 'body', throwing(new Error('no charge')));
    const error = { name: 'Error', message: 'no charge' };
    expect(seen.at(-1)).toEqual({ type: 'unrecorded', key, attempts: 1, state: 'pending', error });
  });

  it('have a state where they end the call: of several store errors, the last', async () => {
    const { handleOnce, seen } = observed({
      store: flakyStore(bench.store, { claim: [isUnreachable, isUnreachable, refusesForGood] }),
    });
    for (const body of ['one', 'two']) await handleOnce(key, body, () => 1).catch(() => undefined);
    expect(seen.map((event) => ('state' in event ? event.state : undefined))).toEqual([
      undefined,
      'pending',
      'pending',
    ]);
    expect(seen).toMatchObject(Array.from({ length: 3 }, () => ({ type: 'store-error', key })));
  });

  it('tell how long a call took, its wait and its handler included', async () => {
    const { handleOnce, all } = observed();
    const clock = vi.spyOn(performance, 'now');
    let now = 1_000;
    clock.mockImplementation(() => now);
    await handleOnce(key, 'body', () => {
      now += 250;
    });
    clock.mockRestore();
    expect(all.at(-1)).toMatchObject({ type: 'succeeded', durationMs: 250 });
  });

  it('tell of a result that the store refused', async () => {
    const { handleOnce, seen } = observed({ store: flakyStore(bench.store, { settle: [refusesData] }) });
    await handleOnce(key, 'body', () => 1);
    expect(seen.at(-1)).toMatchObject({ type: 'succeeded', resultOmitted: 'refused-by-store' });
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
  const asWarning = { type: 'HandleOnceWarning', code: 'ON_EVENT_FAILED' };

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
    await expectSoon(() => {
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^onEvent failed on claimed: /), asWarning],
        [expect.stringMatching(/^onEvent failed on succeeded: /), asWarning],
      ]);
    });
  });

  it('or that never ends holds nothing up', async () => {
    const handleOnce = bench.handleOnce({ onEvent: () => new Promise(() => undefined) });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded' });
  });
});
