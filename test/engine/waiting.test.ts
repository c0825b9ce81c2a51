import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { AbortedError, RetryableError, TerminalError } from '../../src/index.ts';
import type { ClaimReply, Store } from '../../src/store.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { createVirtualTime } from '../support/virtual-time.ts';
import { usePostgresBench } from './support/bench.ts';
import { inFlight } from './support/in-flight.ts';
import { expectSoon } from '../support/until.ts';

describe('with waitMs', () => {
  const bench = usePostgresBench();
  const PATIENT = { waitMs: 20_000 };

  /** Waits until so many callers have been told that another has the message. */
  async function refused(callers: number): Promise<void> {
    await expectSoon(() => {
      const replies = claims.mock.settledResults.flatMap(({ value }) => value as readonly ClaimReply[]);
      expect(replies.filter((reply) => reply.kind === 'in-flight').length).toBeGreaterThanOrEqual(callers);
    });
  }

  let claims: MockInstance<Store['claim']>;
  beforeEach(() => {
    claims = vi.spyOn(bench.store, 'claim');
    onTestFinished(() => {
      claims.mockRestore();
    });
  });

  it('a duplicate waits for the owner, and gets its result without running', async () => {
    const handleOnce = bench.handleOnce();
    const owner = await inFlight(handleOnce, () => 'done');
    const handler = vi.fn();
    const duplicates = Array.from({ length: 20 }, () => handleOnce('key', 'body', handler, PATIENT));
    await refused(20);
    owner.finish();

    expect(await owner.outcome).toMatchObject({ replayed: false });
    for (const outcome of await Promise.all(duplicates)) {
      expect(outcome).toMatchObject({ state: 'succeeded', replayed: true, result: 'done' });
    }
    expect(handler).not.toHaveBeenCalled();
    expect(handleOnce.counts()).toMatchObject({ claimed: 1, replayed: 20, 'wait-hit': 20 });
  });

  it.each([
    ['fails permanently', new TerminalError('no'), { state: 'failed', replayed: true }],
    [
      'is released',
      new RetryableError('later', { retryAfterMs: 60_000 }),
      { state: 'pending', reason: 'released' },
    ],
  ])('a duplicate is answered when the owner %s', async (_, error, answer) => {
    const handleOnce = bench.handleOnce();
    const owner = await inFlight(handleOnce, () => {
      throw error;
    });
    const duplicate = handleOnce('key', 'body', () => 'ran', PATIENT);
    await refused(1);
    owner.finish();
    await owner.outcome;
    expect(await duplicate).toMatchObject(answer);
    expect(handleOnce.counts()).toMatchObject({ 'wait-hit': 1 });
  });

  it('a duplicate takes over when the owner has died', async () => {
    const handleOnce = bench.handleOnce();
    const dead = await inFlight(handleOnce);
    const heir = handleOnce('key', 'body', (_, { number }) => number, PATIENT);
    await refused(1);
    await bench.pass(30_000);
    expect(await heir).toMatchObject({ state: 'succeeded', replayed: false, result: 2 });
    expect(handleOnce.counts()).toMatchObject({ 'taken-over': 1, 'wait-miss': 1 });
    dead.finish();
    expect(await dead.outcome).toMatchObject({ reason: 'lease-lost' });
  });

  it('a duplicate that has waited long enough is told that the message is in flight', async () => {
    const handleOnce = bench.handleOnce();
    const owner = await inFlight(handleOnce);
    const outcome = await handleOnce('key', 'body', () => 'ran', { waitMs: 120 });
    expect(outcome).toMatchObject({ state: 'pending', reason: 'in-flight', attempts: 1 });
    expect(handleOnce.counts()).toMatchObject({ 'wait-timeout': 1 });
    owner.finish();
    await owner.outcome;
  });

  it('a duplicate looks less and less often', async () => {
    const time = createVirtualTime();
    const store = createMemoryStore();
    const looks = vi.spyOn(store, 'claim');
    const host = createHost(time.clock, 'abcdef01');
    const handleOnce = createHandleOnceIn(host, { store, scope: 'looks', leaseMs: 600_000 });
    const owner = await inFlight(handleOnce);
    const duplicate = handleOnce('key', 'body', () => 'ran', { waitMs: 60_000 });
    await time.advance(60_001);
    expect(await duplicate).toMatchObject({ reason: 'in-flight' });
    expect(looks.mock.calls.length).toBeLessThan(130);
    owner.finish();
    await owner.outcome;
  });

  it('a signal ends the wait, runs nothing, and leaves no listener', async () => {
    const handleOnce = bench.handleOnce();
    const owner = await inFlight(handleOnce);
    const stopping = new AbortController();
    const { signal } = stopping;
    const handler = vi.fn();
    const waiting = handleOnce('key', 'body', handler, { ...PATIENT, signal });
    const refusal = waiting.catch((error: unknown) => error);
    await expectSoon(() => {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    });
    stopping.abort();
    expect(await refusal).toBeInstanceOf(AbortedError);
    expect(handler).not.toHaveBeenCalled();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    owner.finish();
    await owner.outcome;
  });

  it('a message without an owner is run at once, and no wait is counted', async () => {
    const handleOnce = bench.handleOnce();
    expect(await handleOnce('key', 'body', () => 1, PATIENT)).toMatchObject({ result: 1 });
    expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1 });
  });
});
