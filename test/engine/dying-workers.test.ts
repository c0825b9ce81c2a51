import { describe, expect, it, vi } from 'vitest';
import { usePostgresBench } from './support/bench.ts';
import { flakyStore, refusesForGood } from './support/flaky-store.ts';

/** A worker that claims and never settles, as one that died: its settles do not reach the store. */
describe('a message whose workers die', () => {
  const bench = usePostgresBench();
  const dying = { settle: refusesForGood };

  it('is taken over by the next attempt when the lease has lapsed, and not before', async () => {
    const store = flakyStore(bench.store, dying);
    await bench.handleOnce({ scope: 'takeover', store, leaseMs: 60_000 })('key', 'body', vi.fn());
    const handleOnce = bench.handleOnce({ scope: 'takeover' });

    const inFlight = await handleOnce('key', 'body', vi.fn());
    expect(inFlight).toMatchObject({ state: 'pending', reason: 'in-flight', attempts: 1 });
    expect(inFlight.state === 'pending' && inFlight.retryAfterMs).toBeGreaterThan(30_000);
    expect(inFlight.state === 'pending' && inFlight.retryAfterMs).toBeLessThanOrEqual(60_000);

    await bench.pass(60_001);
    expect(await handleOnce('key', 'body', () => 'done')).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(handleOnce.counts()).toMatchObject({ 'in-flight': 1, 'taken-over': 1, succeeded: 1 });
  });

  it('fails at the claim after maxDeaths deaths, without running again', async () => {
    const store = flakyStore(bench.store, dying);
    const handleOnce = bench.handleOnce({ store, maxDeaths: 3, leaseMs: 60_000 });
    const handler = vi.fn();
    for (const attempts of [1, 2, 3]) {
      expect(await handleOnce('key', 'body', handler)).toMatchObject({ reason: 'unrecorded', attempts });
      await bench.pass(60_001);
    }

    const failed = {
      state: 'failed',
      reason: 'deaths-exhausted',
      attempts: 3,
      error: {
        name: 'DeathsExhaustedError',
        message:
          'attempt 3 lost its worker, and maxDeaths is reached: ' +
          'the process died, or could not reach the database for a whole lease',
      },
    };
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: false });
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({ ...failed, replayed: true });
    expect(handler).toHaveBeenCalledTimes(3);
    expect(handleOnce.counts()).toMatchObject({ failed: 1, replayed: 1 });
  });
});
