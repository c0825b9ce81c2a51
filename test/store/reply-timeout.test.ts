import { MessageChannel } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import type { ClaimReply, Store } from '../../src/store.ts';
import { type Clock, systemClock, type Timer } from '../../src/lib/clock.ts';
import { createReplyLimit } from '../../src/store/reply-in-time.ts';
import { recordsOf } from './support/records-of.ts';
import { ALICE, PAYLOAD } from '../../testing/contracts/store/actor.ts';

const LEASE_MS = 30_000;
const CLAIMED: ClaimReply = { kind: 'claimed', attempts: 1, failures: 0, ageMs: 0, deadToken: null };

useFakeTimers();

/** A store that never replies to its first two claims. */
function silentAtFirst(): Pick<Store, 'claim' | 'settle'> & { calls: number } {
  return {
    calls: 0,
    claim(requests) {
      this.calls += 1;
      return this.calls <= 2 ? new Promise(() => undefined) : Promise.resolve(requests.map(() => CLAIMED));
    },
    settle: (requests) => Promise.resolve(requests.map(() => 'lost')),
  };
}

/** Its timers alone: other files of this process may have left handlers that never end, with heartbeats of theirs. */
function countingClock(): { readonly clock: Clock; readonly timers: ReadonlySet<unknown> } {
  const timers = new Set<unknown>();
  const clock: Clock = {
    ...systemClock,
    setTimer(callback, milliseconds) {
      const timer: Timer = systemClock.setTimer(() => {
        timers.delete(timer);
        callback();
      }, milliseconds);
      timers.add(timer);
      return timer;
    },
    clearTimer(timer) {
      timers.delete(timer);
      systemClock.clearTimer(timer);
    },
  };
  return { clock, timers };
}

test('without a reply every caller of a batch is told so in a third of the lease, and the next batch goes', async () => {
  const store = silentAtFirst();
  const terms = {
    scope: 's',
    leaseMs: LEASE_MS,
    maxAttempts: 1,
    maxDeaths: 5,
    failedRetentionMs: LEASE_MS,
    mayOwnSuspects: false,
  };
  const { clock, timers } = countingClock();
  const records = recordsOf(store as unknown as Store, terms, { clock });
  const claim = (key: string) => records.claim({ key, token: ALICE, fingerprint: PAYLOAD });

  const unanswered = Promise.allSettled([claim('a'), claim('b'), claim('a')]);
  const waiting = claim('a');
  await vi.advanceTimersByTimeAsync(LEASE_MS / 3 - 1);
  expect(store.calls).toBe(2);
  expect(timers.size).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(1);
  // The turn of the event loop in which a late reply would be read.
  await vi.advanceTimersByTimeAsync(1);

  const noReply = { status: 'rejected', reason: { code: 'STORE', retriable: true, dataRefused: false } };
  expect(await unanswered).toMatchObject([noReply, noReply, noReply]);
  expect(await waiting).toEqual(CLAIMED);
  // Until the lost claims are looked for no more.
  await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
  expect(timers.size).toBe(0);
});

test('a reply that came while the process was frozen counts', async () => {
  vi.useRealTimers();
  const { port1, port2 } = new MessageChannel();
  const arrived = new Promise<string>((resolve) => {
    port2.once('message', resolve);
  });
  const reply = createReplyLimit(20, systemClock)(arrived);
  // On the way, with nothing but a read left to do.
  port1.postMessage('settled');
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(await reply).toBe('settled');
  port1.close();
});

test('what ends is told once, also where the reply comes after its time', async () => {
  const told: boolean[] = [];
  const limit = createReplyLimit(1_000, systemClock);
  const note = (failed: boolean) => told.push(failed);
  await limit(Promise.resolve(1), note);
  await expect(limit(Promise.reject(new Error('down')), note)).rejects.toThrow('down');
  expect(told).toEqual([false, true]);
  const late = new Promise((resolve) => {
    setTimeout(resolve, 5_000);
  });
  const reply = expect(limit(late, note)).rejects.toThrow('no reply within 1000 ms');
  await vi.advanceTimersByTimeAsync(5_000);
  await reply;
  expect(told).toEqual([false, true, true]);
});
