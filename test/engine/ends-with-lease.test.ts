import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type Attempt, type Outcome, RetryableError, StoreError, TerminalError } from '../../src/index.ts';
import { gate } from '../support/gate.ts';
import { usePostgresBench } from './support/bench.ts';
import { flakyStore, isUnreachable } from './support/flaky-store.ts';

const LEASE_MS = 300;

/** No timer and no reply reaches the process meanwhile, as when a handler computes for that long. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_MS + 20);
}

type Call = () => Promise<Outcome<unknown>>;

/**
 * As a broker does: on a slow machine a heartbeat may have been on its way when the handler blocked, or the lease over
 * before the handler could start, or before the claim was answered.
 */
async function onceFree(call: Call): Promise<Outcome<unknown>> {
  for (;;) {
    const outcome = await call().catch((error: unknown) => {
      if (error instanceof StoreError && error.retriable) return undefined;
      throw error;
    });
    if (outcome === undefined) continue;
    const hasNotRun =
      outcome.state === 'pending' && (outcome.reason === 'in-flight' || outcome.reason === 'released');
    if (!hasNotRun) return outcome;
    await sleep(outcome.retryAfterMs);
  }
}

describe('a handler that blocks its process past its lease', () => {
  const bench = usePostgresBench();

  it.each([1, 2, 5])('each time, and then throws, ends its message after %s deaths', async (maxDeaths) => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS, maxDeaths, maxAttempts: 1 });
    const handler = vi.fn((_: unknown, { signal }: Attempt) => {
      block();
      signal.throwIfAborted();
    });
    for (let attempts = 1; attempts <= maxDeaths; attempts += 1) {
      expect(await onceFree(() => handleOnce('key', 'body', handler))).toMatchObject({
        ...{ state: 'pending', reason: 'lease-lost', attempts },
        error: { name: 'LeaseLostError' },
      });
    }
    expect(await onceFree(() => handleOnce('key', 'body', handler))).toMatchObject({
      ...{ state: 'failed', reason: 'deaths-exhausted', attempts: maxDeaths },
    });
    expect(handler).toHaveBeenCalledTimes(maxDeaths);
  });

  it.each([
    ['an error of its own', new Error('broken')],
    ['one that asks for a later retry', new RetryableError('later', { retryAfterMs: 1 })],
  ])('and throws %s, without a look at its signal, has not failed', async (_, error) => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS, maxAttempts: 1 });
    const outcome = await handleOnce('key', 'body', () => {
      block();
      throw error;
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
    expect(handleOnce.counts()).toMatchObject({ 'lease-lost': 1 });
    const next = await onceFree(() => handleOnce('key', 'body', () => 'done'));
    expect(next).toMatchObject({ state: 'succeeded', attempts: 2 });
    // A takeover whose reply came too late is taken back, and the next claim finds the record free.
    const { 'taken-over': over = 0, 'taken-back': back = 0 } = handleOnce.counts();
    expect(over + back).toBeGreaterThan(0);
  });

  it('and keeps others from their start: they have not run, and are not counted', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS, maxDeaths: 1 });
    const begun: boolean[] = [];
    const handler = (_: unknown, { signal }: Attempt): void => {
      begun.push(signal.aborted);
      block();
    };
    const keys = ['a', 'b', 'c'];
    const outcomes = await Promise.all(keys.map((key) => handleOnce(key, 'body', handler)));
    expect(begun).toEqual(outcomes.filter(({ state }) => state === 'succeeded').map(() => false));
    for (const outcome of outcomes.filter(({ state }) => state !== 'succeeded')) {
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 0 });
    }
    for (const key of keys) {
      expect(await onceFree(() => handleOnce(key, 'body', () => 1))).toMatchObject({ state: 'succeeded' });
    }
  });

  it('and returns has succeeded', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS });
    expect(await handleOnce('key', 'body', block)).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('and throws a terminal error has failed', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS });
    const outcome = await handleOnce('key', 'body', () => {
      block();
      throw new TerminalError('never');
    });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'terminal' });
  });

  it('while its payload is checked, which turns out invalid, has failed', async () => {
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS });
    const schema = z.string().refine(() => {
      block();
      return false;
    });
    const outcome = await handleOnce('key', 'body', vi.fn(), { schema });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
  });

  it('and is stopped by its caller too, has died: it would never end otherwise', async () => {
    const caller = new AbortController();
    const handleOnce = bench.handleOnce({ leaseMs: LEASE_MS, maxDeaths: 1 });
    const outcome = await handleOnce(
      'key',
      'body',
      (_, { signal }) => {
        block();
        caller.abort();
        signal.throwIfAborted();
      },
      { signal: caller.signal },
    );
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
    const next = await onceFree(() => handleOnce('key', 'body', vi.fn()));
    expect(next).toMatchObject({ reason: 'deaths-exhausted' });
  });
});

describe('a handler that throws after its heartbeats have failed for a lease', () => {
  const bench = usePostgresBench();

  it('leaves its record as it is: its token can neither fail nor release it', async () => {
    const store = flakyStore(bench.store, { extend: isUnreachable });
    const handleOnce = bench.handleOnce({ scope: 'silent', store, leaseMs: LEASE_MS, maxAttempts: 1 });
    const lapsed = gate();
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      signal.addEventListener('abort', lapsed.open);
      await lapsed.opened;
      throw new Error('broken');
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
    const record = await bench.record('silent', 'key');
    expect(record).toMatchObject({ state: 'pending', owned: true, attempts: 1, failures: 0, deaths: 0 });
  });
});
