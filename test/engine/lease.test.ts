import { describe, expect, it, vi } from 'vitest';
import { LeaseLostError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';
import { type Fault, flakyStore, isUnreachable, works } from './support/flaky-store.ts';
import { type InFlight, inFlight } from './support/in-flight.ts';
import { aborted } from '../support/gate.ts';

describe('a lease', () => {
  const bench = usePostgresBench();
  const { sql } = bench.database;

  async function liveUntil(scope: string): Promise<string> {
    const [row] = await sql<{ at: string }[]>`
      select live_until::text as at from handle_once.records where scope = ${scope}`;
    return row?.at ?? '';
  }

  /** Waits until the end of the lease was moved so many times. */
  async function heartbeats(scope: string, count: number): Promise<void> {
    const ends = new Set<string>();
    await vi.waitFor(
      async () => {
        ends.add(await liveUntil(scope));
        expect(ends.size).toBeGreaterThan(count);
      },
      { timeout: 15_000, interval: 20 },
    );
  }

  it.concurrent('outlives its length for as long as the handler runs, and no other gets the message', async () => {
    const handleOnce = bench.handleOnce({ scope: 'kept', leaseMs: 1_200 });
    const duplicate = vi.fn();
    const outcome = await handleOnce('key', 'body', async () => {
      await heartbeats('kept', 6);
      expect(await handleOnce('key', 'body', duplicate)).toMatchObject({
        reason: 'in-flight',
        attempts: 1,
      });
      return 'long work';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, result: 'long work' });
    expect(duplicate).not.toHaveBeenCalled();
  });

  it.concurrent('survives heartbeats that fail, as long as one comes through in time', async () => {
    const store = flakyStore(bench.store, { extend: [isUnreachable, works, isUnreachable, works] });
    const handleOnce = bench.handleOnce({ scope: 'bumpy', store, leaseMs: 2_100 });
    const signals: boolean[] = [];
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      await heartbeats('bumpy', 2);
      signals.push(signal.aborted);
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(signals).toEqual([false]);
    expect(handleOnce.counts()).toMatchObject({ 'store-error': 2 });
  });

  it.concurrent('survives a transaction that has its record locked at two of three heartbeats', async () => {
    const locked: Fault = () => Promise.resolve(['locked'] as never);
    const store = flakyStore(bench.store, { extend: [locked, locked, works] });
    const handleOnce = bench.handleOnce({ scope: 'locked', store, leaseMs: 2_100 });
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      await heartbeats('locked', 1);
      signal.throwIfAborted();
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it.concurrent('is lost when another token takes the record over: the signal aborts at the next heartbeat', async () => {
    const handleOnce = bench.handleOnce({ scope: 'taken', leaseMs: 3_000 });
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      await sql`update handle_once.records set token = gen_random_uuid() where scope = 'taken'`;
      throw await aborted(signal);
    });
    expect(outcome).toMatchObject({
      state: 'pending',
      reason: 'lease-lost',
      error: { name: 'LeaseLostError', message: 'another worker has taken over the message' },
    });
    expect(await bench.record('taken', 'key')).toMatchObject({
      state: 'pending',
      owned: true,
      error: null,
    });
    expect(handleOnce.counts()).toMatchObject({ 'lease-lost': 1 });
  });

  it.concurrent('is lost with the record: what is purged under a handler is not written back', async () => {
    const handleOnce = bench.handleOnce({ scope: 'purged' });
    const outcome = await handleOnce('key', 'body', async () => {
      await sql`delete from handle_once.records where scope = 'purged'`;
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await bench.record('purged', 'key')).toBeUndefined();
  });

  it.concurrent('lapses when no heartbeat gets through: the signal aborts, since another may own the message', async () => {
    const store = flakyStore(bench.store, { extend: isUnreachable });
    const handleOnce = bench.handleOnce({ scope: 'lapsed', store, leaseMs: 300, backoff: () => 0 });
    let reason: unknown;
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      reason = await aborted(signal);
      throw reason;
    });
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect(reason).toMatchObject({
      code: 'LEASE_LOST',
      message: 'no heartbeat reached the store within the lease of 300 ms',
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
  });

  it.concurrent('that lapsed and was not taken over can still be settled: the effect has happened', async () => {
    const store = flakyStore(bench.store, { extend: isUnreachable });
    const handleOnce = bench.handleOnce({ store, leaseMs: 300 });
    const outcome = await handleOnce('key', 'body', async (_, { signal }) => {
      await aborted(signal);
      return 'done';
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 'done', attempts: 1 });
    expect(await handleOnce('key', 'body', vi.fn())).toMatchObject({ replayed: true, result: 'done' });
  });

  // Alone, since time passes for all records.
  it('that was taken over leaves the record to the other worker, whatever the handler does', async () => {
    const first = bench.handleOnce({ scope: 'zombie' });
    const second = bench.handleOnce({ scope: 'zombie', leaseMs: 60_000 });
    let winner: InFlight | undefined;

    const outcome = await first('key', 'body', async () => {
      await bench.pass(30_001);
      winner = await inFlight(second, () => 'second');
      return 'first';
    });

    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost', attempts: 1 });
    expect(await bench.record('zombie', 'key')).toMatchObject({ state: 'pending', owned: true, attempts: 2 });
    winner?.finish();
    expect(await winner?.outcome).toMatchObject({ state: 'succeeded', result: 'second', attempts: 2 });
    expect(await bench.record('zombie', 'key')).toMatchObject({ state: 'succeeded', result: '"second"' });
  });
});
