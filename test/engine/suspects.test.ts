import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HandleOnce, Outcome } from '../../src/index.ts';
import { createHost, createSuspectSlot } from '../../src/engine/host.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import { fingerprint } from '../../src/payload/fingerprint.ts';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { gate } from '../support/gate.ts';
import { expectSoon } from '../support/until.ts';
import { type Bench, memoryBench, usePostgresBench } from './support/bench.ts';
import { type Fault, flakyStore, isUnreachable, works } from './support/flaky-store.ts';

const LEASE_MS = 60_000;
const BODY = 'body';

/** A `handleOnce` in a process of its own. */
function newProcess({ store }: Bench, scope: string): HandleOnce {
  return createHandleOnceIn(createHost(systemClock, WORKER_ID), { store, scope, leaseMs: LEASE_MS });
}

/** Messages that were in flight each time that a worker crashed. */
async function crash(bench: Bench, scope: string, keys: readonly string[], times: number): Promise<void> {
  const terms = {
    ...{ scope, leaseMs: LEASE_MS, maxAttempts: 12, maxDeaths: 5, failedRetentionMs: LEASE_MS },
    mayOwnSuspects: true,
  };
  for (let crashes = 0; crashes < times; crashes += 1) {
    const requests = keys.map((key) => ({ key, token: randomUUID(), fingerprint: fingerprint(BODY) }));
    await bench.store.claim(requests, terms);
    await bench.pass(LEASE_MS + 1);
  }
}

describe('after two crashes', () => {
  const bench = usePostgresBench();

  it('a thousand suspects hold up no fresh message: one runs, the others wait at the broker', async () => {
    const scope = 'thousand';
    const suspects = Array.from({ length: 1_000 }, (_, index) => `suspect-${index}`);
    await crash(bench, scope, suspects, 2);
    const handleOnce = newProcess(bench, scope);
    const running = gate();
    const end = gate();
    const first = handleOnce(suspects[0] as string, BODY, async () => {
      running.open();
      await end.opened;
    });
    await running.opened;

    const handler = vi.fn();
    const waiting = await Promise.all(suspects.slice(1).map((key) => handleOnce(key, BODY, handler)));
    expect(handler).not.toHaveBeenCalled();
    for (const outcome of waiting) {
      expect(outcome).toMatchObject({ state: 'pending', reason: 'suspect', attempts: 2 });
    }
    const turns = waiting.map((outcome) => (outcome.state === 'pending' ? outcome.retryAfterMs : 0));
    // Their claims share statements, which can be answered in any order.
    expect(Math.max(...turns)).toBeGreaterThan(Math.min(...turns));

    const fresh = await Promise.all(
      Array.from({ length: 200 }, (_, index) => handleOnce(`fresh-${index}`, BODY, handler)),
    );
    expect(handler).toHaveBeenCalledTimes(200);
    for (const outcome of fresh) expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });

    end.open();
    expect(await first).toMatchObject({ state: 'succeeded', attempts: 3 });
    expect(await handleOnce(suspects[1] as string, BODY, handler)).toMatchObject({ state: 'succeeded' });
  });

  it('two processes each run one', async () => {
    await crash(bench, 'two', ['a', 'b'], 2);
    const [one, other] = [newProcess(bench, 'two'), newProcess(bench, 'two')];
    const outcome = await one('a', BODY, async () => {
      expect(await one('b', BODY, vi.fn())).toMatchObject({ reason: 'suspect' });
      expect(await other('b', BODY, vi.fn())).toMatchObject({ state: 'succeeded', attempts: 3 });
    });
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 3 });
  });

  it('one whose handler ignores its timeout holds up no other', async () => {
    await crash(bench, 'hanging', ['hangs', 'waits'], 2);
    const handleOnce = newProcess(bench, 'hanging');
    const running = gate();
    const end = gate();
    const hanging = handleOnce(
      'hangs',
      BODY,
      async () => {
        running.open();
        await end.opened;
      },
      { timeoutMs: 50 },
    );
    onTestFinished(async () => {
      end.open();
      await hanging;
    });
    await running.opened;
    await expectSoon(async () => {
      expect(await handleOnce('waits', BODY, () => 'ran')).toMatchObject({ state: 'succeeded', attempts: 3 });
    });
  });

  it('a handler that throws has not killed its worker: its message is no suspect any more', async () => {
    await crash(bench, 'thrown', ['key'], 2);
    const handleOnce = createHandleOnceIn(createHost(systemClock, WORKER_ID), {
      ...{ store: bench.store, scope: 'thrown', leaseMs: LEASE_MS },
      backoff: () => 0,
    });
    expect(await handleOnce('key', BODY, () => Promise.reject(new Error('busy')))).toMatchObject({
      reason: 'released',
    });
    await crash(bench, 'thrown', ['key'], 1);
    await handleOnce('other', BODY, async () => {
      expect(await handleOnce('key', BODY, () => 'ran')).toMatchObject({ state: 'succeeded', attempts: 5 });
    });
  });

  it('the poison message fails by its deaths, and those that died beside it succeed', async () => {
    const scope = 'poison';
    const innocents = Array.from({ length: 20 }, (_, index) => `innocent-${index}`);
    const queue = new Set(['poison', ...innocents]);
    await crash(bench, scope, [...queue], 2);
    const failed: string[] = [];
    let processes = 0;

    /** Runs the queue until the poison message kills the process. */
    async function live(): Promise<void> {
      processes += 1;
      const handleOnce = newProcess(bench, scope);
      const died = gate();
      const handle = async (key: string): Promise<void> => {
        const outcome = await handleOnce(key, BODY, async () => {
          if (key !== 'poison') return;
          died.open();
          await new Promise(() => undefined);
        });
        note(key, outcome);
      };
      await Promise.race([died.opened, Promise.all([...queue].map(handle))]);
      await bench.pass(LEASE_MS + 1);
    }

    function note(key: string, outcome: Outcome<void>): void {
      if (outcome.state === 'failed') failed.push(`${key}: ${outcome.reason}`);
      if (outcome.state !== 'pending') queue.delete(key);
    }

    while (queue.size > 0) await live();
    expect(failed).toEqual(['poison: deaths-exhausted']);
    expect(processes).toBeLessThan(60);
  });
});

describe('a suspect that is not claimed', () => {
  const bench = memoryBench();
  const isInFlight: Fault = () =>
    Promise.resolve([{ kind: 'in-flight', attempts: 2, retryAfterMs: 1_000 }] as never);

  it.each([
    ['another worker has it', isInFlight],
    ['its claim is lost', isUnreachable],
  ])('because %s leaves its place, and its event ends the call', async (scope, fault) => {
    await crash(bench, scope, ['key'], 2);
    const ends: (string | undefined)[] = [];
    const handleOnce = createHandleOnceIn(createHost(systemClock, WORKER_ID), {
      ...{ store: flakyStore(bench.store, { claim: [works, fault] }), scope, leaseMs: LEASE_MS },
      onEvent(event) {
        if (event.type !== 'taken-over') ends.push('state' in event ? event.state : undefined);
      },
    });
    await handleOnce('key', BODY, vi.fn()).catch(() => undefined);
    expect(await handleOnce('key', BODY, () => 'ran')).toMatchObject({ state: 'succeeded', attempts: 3 });
    expect(ends).toEqual(['pending', 'succeeded']);
  });
});

describe('the place of a suspect', () => {
  it('is one, and gives those that wait a turn each, bounded', () => {
    // In doubles, five minutes after this is a little more than five minutes later.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(336_612.381);
    onTestFinished(() => {
      clock.mockRestore();
    });
    const place = createSuspectSlot(systemClock);
    const leave = place.enter();
    expect(leave).toBeTypeOf('function');
    expect(place.enter()).toBeUndefined();
    const turns = Array.from({ length: 10_000 }, () => place.reserveTurn());
    expect(turns[1]).toBeGreaterThan(turns[0] as number);
    expect(Math.max(...turns)).toBeLessThanOrEqual(300_000);
    leave?.();
    expect(place.enter()).toBeTypeOf('function');
  });

  it('lets those that wait come back no sooner than its suspect has run already', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => {
      clock.mockRestore();
    });
    const place = createSuspectSlot(systemClock);
    place.enter();
    clock.mockReturnValue(60_000);
    expect(place.reserveTurn()).toBe(60_000);
    expect(place.reserveTurn()).toBe(120_000);
  });

  it('lets those that wait come back about as fast as suspects have run', () => {
    let now = 5_000;
    const place = createSuspectSlot({ ...systemClock, monotonic: () => now });
    const run = (takesMs: number): void => {
      const leave = place.enter();
      now += takesMs;
      leave?.();
    };
    expect(place.reserveTurn()).toBe(1_000);
    now += 1_000;
    run(11_000);
    expect(place.reserveTurn()).toBe(3_000);
    expect(place.reserveTurn()).toBe(6_000);
    now += 6_000;
    for (let runs = 0; runs < 50; runs += 1) run(0);
    expect(place.reserveTurn()).toBe(100);
  });

  it('is free after half an hour, and the one that has stayed so long gives back no place of another', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => {
      clock.mockRestore();
    });
    const place = createSuspectSlot(systemClock);
    const leave = place.enter();
    clock.mockReturnValue(1_799_999);
    expect(place.enter()).toBeUndefined();
    clock.mockReturnValue(1_800_000);
    expect(place.enter()).toBeTypeOf('function');
    leave?.();
    expect(place.enter()).toBeUndefined();
  });
});
