import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/index.ts';
import { memoryBench, usePostgresBench } from './support/bench.ts';
import {
  type Fault,
  flakyStore,
  isHeldUntil,
  isUnreachable,
  losesReply,
  refusesData,
  refusesForGood,
  works,
} from './support/flaky-store.ts';
import { gate } from '../support/gate.ts';
import { expectSoon } from '../support/until.ts';

const late: Fault = async (send) => {
  const reply = await send();
  await sleep(110);
  return reply;
};

describe('a line that fails', () => {
  const bench = usePostgresBench();

  it.each([
    ['once', [losesReply]],
    ['three times', [losesReply, losesReply, losesReply]],
    ['after it was down', [isUnreachable, losesReply]],
  ])('a settle whose reply was lost %s is sent again, and the message succeeds', async (_, faults) => {
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { settle: faults }) });
    const handler = vi.fn(() => 'done');
    expect(await handleOnce('key', 'body', handler)).toStrictEqual({
      state: 'succeeded',
      replayed: false,
      attempts: 1,
      result: 'done',
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ replayed: true, result: 'done' });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(handleOnce.counts()).toMatchObject({ 'store-error': faults.length, succeeded: 1 });
  });

  it('a release whose reply was lost is sent again, and counts once', async () => {
    const store = flakyStore(bench.store, { settle: [losesReply] });
    const controller = new AbortController();
    const handleOnce = bench.handleOnce({ store });
    const outcome = await handleOnce(
      'key',
      'body',
      () => {
        controller.abort();
        throw new Error('stopped');
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
    expect(await handleOnce('key', 'body', (_, { number }) => number)).toMatchObject({ result: 1 });
  });

  it('a settle that meets a lock of half a lease is sent again before the lease ends', async () => {
    const locked: Fault = () => Promise.resolve(['locked'] as never);
    const settle = [...Array.from({ length: 8 }, () => locked), works];
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { settle }), leaseMs: 2_400 });
    expect(await handleOnce('key', 'body', () => 'done')).toMatchObject({ state: 'succeeded' });
  });

  it('is never taken for success: a settle that fails until the lease ends is unrecorded', async () => {
    const send = vi.fn(isUnreachable);
    const store = flakyStore(bench.store, { settle: send as typeof isUnreachable });
    const handleOnce = bench.handleOnce({ store, leaseMs: 400 });
    const outcome = await handleOnce('key', 'body', () => 'done');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'unrecorded', attempts: 1 });
    expect(outcome).not.toHaveProperty('result');
    expect(outcome.state === 'pending' && outcome.retryAfterMs).toBeLessThanOrEqual(400);
    expect(send.mock.calls.length).toBeGreaterThan(1);
    expect(handleOnce.counts()).toEqual({ claimed: 1, unrecorded: 1, 'store-error': send.mock.calls.length });

    await bench.pass(60_000);
    const other = bench.handleOnce({ scope: handleOnce.settings.scope });
    expect(await other('key', 'body', () => 'again')).toMatchObject({ result: 'again', attempts: 2 });
  });

  it('ends a settle that never gets through, also while heartbeats do: another attempt can run', async () => {
    const store = flakyStore(bench.store, { settle: isUnreachable });
    const handleOnce = bench.handleOnce({ store, leaseMs: 2_000 });
    const outcome = await handleOnce('key', 'body', () => 'done');
    expect(outcome).toMatchObject({ state: 'pending', reason: 'unrecorded', attempts: 1 });

    await bench.pass(2_000);
    const other = bench.handleOnce({ scope: handleOnce.settings.scope });
    await expectSoon(async () => {
      expect(await other('key', 'body', () => 'again')).toMatchObject({ result: 'again', attempts: 2 });
    });
  });

  it('is unrecorded at once when the store says that sending again is no use', async () => {
    const send = vi.fn(refusesForGood);
    const store = flakyStore(bench.store, { settle: send as typeof refusesForGood });
    const error = new Error('no charge');
    const outcome = await bench.handleOnce({ store })('key', 'body', () => {
      throw error;
    });
    expect(outcome).toMatchObject({
      state: 'pending',
      reason: 'unrecorded',
      error: { message: 'no charge' },
    });
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('a settle that comes through after its reply was lost and the record was taken over is fenced', async () => {
    const handleOnce = bench.handleOnce({
      scope: 'fenced',
      store: flakyStore(bench.store, { settle: [isUnreachable] }),
    });
    const other = bench.handleOnce({ scope: 'fenced' });
    const outcome = await handleOnce('key', 'body', async () => {
      await bench.pass(30_001);
      expect(await other('key', 'body', () => 'other')).toMatchObject({ state: 'succeeded', attempts: 2 });
      return 'first';
    });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'lease-lost' });
    expect(await other('key', 'body', vi.fn())).toMatchObject({ replayed: true, result: 'other' });
  });

  it('a claim whose reply was lost is taken back and made again, and the message runs once, at attempt 1', async () => {
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { claim: [losesReply] }) });
    const handler = vi.fn();
    expect(await handleOnce('key', 'body', handler)).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(handleOnce.counts()).toEqual({ 'store-error': 1, 'taken-back': 1, claimed: 1, succeeded: 1 });
  });

  it('a claim that does not reach the store twice throws, and nothing ran or was counted', async () => {
    const store = flakyStore(bench.store, { claim: [isUnreachable, isUnreachable] });
    const handleOnce = bench.handleOnce({ store });
    const handler = vi.fn();
    const refusal = await handleOnce('key', 'body', handler).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal).toMatchObject({ code: 'STORE', retriable: true });
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toEqual({ 'store-error': 2 });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ attempts: 1 });
  });

  it('a claim that the store refuses for good is not sent again', async () => {
    const store = flakyStore(bench.store, { claim: [refusesForGood, works] });
    const handler = vi.fn();
    await expect(bench.handleOnce({ store })('key', 'body', handler)).rejects.toMatchObject({
      retriable: false,
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('a claim whose reply comes after its lease is no claim: nothing runs, it is reported and taken back', async () => {
    const store = flakyStore(bench.store, { claim: [late, late] });
    const handleOnce = bench.handleOnce({ store, leaseMs: 100 });
    const handler = vi.fn();
    await expect(handleOnce('key', 'body', handler)).rejects.toMatchObject({
      code: 'STORE',
      retriable: true,
      message:
        'the reply to the claim came after its lease had lapsed by a clock of this machine; nothing ran',
    });
    expect(handler).not.toHaveBeenCalled();
    await expectSoon(() => {
      expect(handleOnce.counts()).toEqual({ 'store-error': 2, 'taken-back': 2 });
    });
    // With a lease of its own: a busy machine can be late again.
    const { scope } = handleOnce.settings;
    expect(await bench.handleOnce({ scope })('key', 'body', () => 1)).toMatchObject({ attempts: 1 });
  });

  it('an answer from the record is good, however late it comes', async () => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', 'body', () => 'done');
    const store = flakyStore(bench.store, { claim: late });
    const again = bench.handleOnce({ store, scope: handleOnce.settings.scope, leaseMs: 100 });
    expect(await again('key', 'body', vi.fn())).toMatchObject({ replayed: true, result: 'done' });
  });

  it('a store that never answers is an error in the end, not a hang', async () => {
    const never = gate();
    const store = flakyStore(bench.store, { claim: isHeldUntil(never.opened) });
    const handler = vi.fn();
    await expect(bench.handleOnce({ store, leaseMs: 100 })('key', 'body', handler)).rejects.toMatchObject({
      code: 'STORE',
      retriable: true,
      message: expect.stringContaining('the store gave no reply within 1000 ms') as string,
    });
    expect(handler).not.toHaveBeenCalled();
    never.open();
  });

  it('an error that a store should not throw ends the message unrecorded, not succeeded', async () => {
    const settle = (): Promise<never> => Promise.reject(new TypeError('a bug'));
    const handleOnce = bench.handleOnce({ store: { ...bench.store, settle } });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ reason: 'unrecorded' });
  });
});

describe('a settle', () => {
  const bench = memoryBench();

  it('of a record that a transaction has locked is sent again', async () => {
    const locked: Fault = () => Promise.resolve(['locked'] as never);
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { settle: [locked] }) });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('that is not recorded counts an attempt that was interrupted, and asks to wait for the rest of its lease', async () => {
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { settle: refusesForGood }) });
    const stopping = new AbortController();
    const outcome = await handleOnce(
      'key',
      'body',
      async () => {
        await sleep(5);
        stopping.abort();
        throw new Error('stopped');
      },
      { signal: stopping.signal },
    );
    expect(outcome).toMatchObject({ reason: 'unrecorded', attempts: 1 });
    expect(outcome.state === 'pending' && outcome.retryAfterMs).toBeLessThan(30_000);
  });

  it('that comes too late asks to wait for a lease of the other owner', async () => {
    const handleOnce = bench.handleOnce();
    const outcome = await handleOnce('key', 'body', async () => {
      await sleep(5);
      await bench.pass(30_001);
      await handleOnce('key', 'body', () => 'other');
    });
    expect(outcome).toMatchObject({ reason: 'lease-lost', retryAfterMs: 30_000 });
  });

  it('that the store refuses without its text too is not sent again', async () => {
    const settle = [refusesData, refusesData];
    const handleOnce = bench.handleOnce({ store: flakyStore(bench.store, { settle }) });
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ reason: 'unrecorded' });
  });
});
