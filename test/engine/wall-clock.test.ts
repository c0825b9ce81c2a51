import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { handlesOf } from '../../src/engine/hidden-handles.ts';
import { createHost, type Host } from '../../src/engine/host.ts';
import { delay } from '../../src/lib/wait.ts';
import { type Attempt, type HandleOnce, type HandleOnceOptions, StoreError } from '../../src/index.ts';
import type { Store } from '../../src/store.ts';
import { aborted, gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';
import { memoryBench, usePostgresBench } from './support/bench.ts';
import { type Fault, flakyStore, isHeldUntil, isUnreachable, losesReply } from './support/flaky-store.ts';

const LEASE_MS = 60_000;
const HEARTBEAT_MS = LEASE_MS / 3;
/** Of a lease of this length: the database has this long to answer. */
const WINDOW_MS = 1_000;
const STEP_MS = 86_400_000;

let time: VirtualTime;
let host: Host;
let scopes = 0;

beforeEach(() => {
  time = createVirtualTime();
  host = createHost(time.clock, 'abcdef01');
});

/** Of a process with a clock of its own: what is asked of its store takes no time of that. */
function worker(store: Store, options: Partial<HandleOnceOptions> = {}): HandleOnce {
  scopes += 1;
  const limits = { maxAttempts: 1, maxDeaths: 1, leaseMs: LEASE_MS };
  return createHandleOnceIn(host, { store, scope: `wall-clock-${scopes}`, ...limits, ...options });
}

/** The store, with a list of the keys that each heartbeat statement was sent for. */
function watched(store: Store): { store: Store; asked: string[][]; answered: string[] } {
  const asked: string[][] = [];
  const answered: string[] = [];
  return {
    asked,
    answered,
    store: {
      ...store,
      async extend(requests, terms) {
        asked.push(requests.map(({ key }) => key));
        const replies = await store.extend(requests, terms);
        answered.push(...requests.map(({ key }) => key));
        return replies;
      },
    },
  };
}

interface Running {
  readonly attempt: Attempt;
  readonly outcome: Promise<unknown>;
  /** Has it return, or throw what is given. */
  readonly end: (error?: unknown) => void;
}

/** A handler that runs until it is told to end. */
async function running(handleOnce: HandleOnce, key = 'key'): Promise<Running> {
  const mayEnd = gate();
  let thrown: unknown;
  let started: (attempt: Attempt) => void = () => undefined;
  const attempt = new Promise<Attempt>((resolve) => {
    started = resolve;
  });
  const outcome = handleOnce(key, 'body', async (_, own) => {
    started(own);
    await mayEnd.opened;
    if (thrown !== undefined) throw thrown as Error;
    return 'done';
  });
  return {
    attempt: await attempt,
    outcome,
    end(error) {
      thrown = error;
      mayEnd.open();
    },
  };
}

/** Lets what has been answered be read. */
async function settled(): Promise<void> {
  await time.advance(1);
}

function listening({ signal }: Attempt): { hasAborted: boolean } {
  const heard = { hasAborted: false };
  signal.addEventListener('abort', () => {
    heard.hasAborted = true;
  });
  return heard;
}

describe('a wall clock that is set forward', () => {
  const bench = usePostgresBench();

  it('fails none of the messages in flight: the database is asked once for all', async () => {
    const { store, asked, answered } = watched(bench.store);
    const handleOnce = worker(store);
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const all = await Promise.all(keys.map((key) => running(handleOnce, key)));
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + 2);
    await until(() => answered.length >= keys.length);
    await settled();
    // In halves, as all statements are that many share.
    expect(asked.length).toBeLessThanOrEqual(2);
    for (const { attempt, end } of all) {
      expect(attempt.signal.aborted).toBe(false);
      end();
    }
    for (const { outcome } of all) {
      expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1, replayed: false });
    }
  });

  it('aborts who reads the signal before the answer, and lets the others go on', async () => {
    const { store, asked, answered } = watched(bench.store);
    const handleOnce = worker(store);
    const [reader, other] = [await running(handleOnce, 'reader'), await running(handleOnce, 'other')];
    time.setWallClock(STEP_MS);
    expect(reader.attempt.signal.aborted).toBe(true);
    await until(() => answered.includes('other'));
    await settled();
    expect(other.attempt.signal.aborted).toBe(false);
    await time.advance(2 * HEARTBEAT_MS);
    await until(() => asked.flat().length >= 3);
    // The attempt is over: others need not wait for its lease.
    expect(asked.flat()).not.toContain('reader');
    const { reason } = reader.attempt.signal as { reason: Error };
    expect(reason).toMatchObject({
      code: 'LEASE_LOST',
      message:
        'by the wall clock of this machine the lease of 60000 ms is over, and the signal was read before the ' +
        'database confirmed the lease: the clock was set, or the machine was suspended',
    });
    reader.end(reason);
    other.end();
    expect(await reader.outcome).toMatchObject({
      ...{ state: 'pending', reason: 'released', attempts: 0, retryAfterMs: 1_000 },
      error: { name: 'LeaseLostError' },
    });
    expect(await other.outcome).toMatchObject({ state: 'succeeded' });
    await bench.pass(1_001);
    expect(await handleOnce('reader', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('counts nothing, however often it happens while the signal is read', async () => {
    const handleOnce = worker(bench.store);
    for (let times = 0; times < 6; times += 1) {
      const outcome = await handleOnce('key', 'body', (_, { signal }) => {
        time.setWallClock(STEP_MS);
        signal.throwIfAborted();
      });
      expect(outcome).toMatchObject({ state: 'pending', reason: 'released', attempts: 0 });
      await bench.pass(1_001);
    }
    expect(await handleOnce('key', 'body', () => 1)).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('does not hide that another worker has taken the message over', async () => {
    const first = worker(bench.store, { scope: 'taken-over', maxDeaths: 5 });
    const { attempt, outcome, end } = await running(first);
    await bench.pass(LEASE_MS + 1);
    const second = worker(bench.store, { scope: 'taken-over', maxDeaths: 5 });
    const other = await running(second);
    time.setWallClock(STEP_MS);
    const heard = aborted(attempt.signal);
    await time.advance(HEARTBEAT_MS + 2);
    expect(await heard).toMatchObject({ code: 'LEASE_LOST' });
    end();
    expect(await outcome).toMatchObject({ reason: 'lease-lost' });
    other.end();
    expect(await other.outcome).toMatchObject({ state: 'succeeded', attempts: 2 });
  });
});

describe('while the database is asked', () => {
  const bench = memoryBench();

  it('a signal that is not read aborts when no answer came in time, and not before', async () => {
    const handleOnce = worker(flakyStore(bench.store, { extend: isHeldUntil(gate().opened) }));
    const { attempt, outcome, end } = await running(handleOnce);
    const heard = listening(attempt);
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + WINDOW_MS - 10);
    expect(heard.hasAborted).toBe(false);
    await time.advance(20);
    expect(heard.hasAborted).toBe(true);
    const { reason } = attempt.signal as { reason: Error };
    expect(reason).toMatchObject({
      code: 'LEASE_LOST',
      message:
        'by the wall clock of this machine the lease of 60000 ms is over, and the database did not confirm the lease ' +
        'within 1000 ms: the clock was set, or the machine was suspended',
    });
    end(reason);
    expect(await outcome).toMatchObject({ reason: 'released', attempts: 0 });
  });

  it('so it is for the leases of all other scopes of the process', async () => {
    const { store, asked } = watched(bench.store);
    const other = await running(worker(store));
    const reader = await running(worker(bench.store));
    time.setWallClock(STEP_MS);
    expect(reader.attempt.signal.aborted).toBe(true);
    await settled();
    expect(asked).toHaveLength(1);
    expect(other.attempt.signal.aborted).toBe(false);
    reader.end();
    other.end();
    expect(await other.outcome).toMatchObject({ state: 'succeeded' });
  });

  it('a tenth of a short lease is all the time that the answer has', async () => {
    const store = flakyStore(bench.store, { extend: isHeldUntil(gate().opened) });
    const { attempt, end } = await running(worker(store, { leaseMs: 600 }));
    const heard = listening(attempt);
    time.setWallClock(STEP_MS);
    await time.advance(200 + 62);
    expect(heard.hasAborted).toBe(true);
    end();
  });

  it('that the record is locked is no answer', async () => {
    const locked: Fault = () => Promise.resolve(['locked'] as never);
    const { attempt, end } = await running(worker(flakyStore(bench.store, { extend: locked })));
    const heard = listening(attempt);
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + WINDOW_MS / 2);
    expect(heard.hasAborted).toBe(false);
    await time.advance(WINDOW_MS);
    expect(heard.hasAborted).toBe(true);
    end();
  });

  it('it is asked again when the reply is lost', async () => {
    const { store, asked } = watched(flakyStore(bench.store, { extend: [losesReply, isUnreachable] }));
    const { attempt, outcome, end } = await running(worker(store));
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + WINDOW_MS / 2);
    expect(asked).toHaveLength(3);
    expect(attempt.signal.aborted).toBe(false);
    end();
    expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('who reads the signal sees it aborted, and a late answer changes nothing', async () => {
    const mayAnswer = gate();
    const { store, asked } = watched(flakyStore(bench.store, { extend: isHeldUntil(mayAnswer.opened) }));
    const { attempt, outcome, end } = await running(worker(store));
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + 2);
    expect(asked).toHaveLength(1);
    expect(() => {
      attempt.signal.throwIfAborted();
    }).toThrow(/was read before the database/);
    mayAnswer.open();
    await time.advance(3 * HEARTBEAT_MS);
    expect(attempt.signal.aborted).toBe(true);
    expect(asked).toHaveLength(1);
    // Its lease was not extended for longer than the monotonic clock says.
    end(new Error('AbortError'));
    expect(await outcome).toMatchObject({ reason: 'lease-lost', attempts: 1 });
  });

  it('an answer to a heartbeat that was sent before the clock was set is none', async () => {
    const mayAnswer = gate();
    const { store, asked } = watched(
      flakyStore(bench.store, { extend: [isHeldUntil(mayAnswer.opened), isHeldUntil(gate().opened)] }),
    );
    const { attempt, end } = await running(worker(store));
    await time.advance(HEARTBEAT_MS + 2);
    expect(asked).toHaveLength(1);
    time.setWallClock(STEP_MS);
    mayAnswer.open();
    await settled();
    expect(attempt.signal.aborted).toBe(true);
    end();
  });

  it('nor does it end the question', async () => {
    const mayAnswer = gate();
    const never = isHeldUntil(gate().opened);
    const extend = [isHeldUntil(mayAnswer.opened), never, never];
    const handleOnce = worker(flakyStore(bench.store, { extend }));
    const [reader, other] = [await running(handleOnce, 'reader'), await running(handleOnce, 'other')];
    const heard = listening(other.attempt);
    await time.advance(HEARTBEAT_MS + 2);
    time.setWallClock(STEP_MS);
    expect(reader.attempt.signal.aborted).toBe(true);
    mayAnswer.open();
    await time.advance(WINDOW_MS + 10);
    expect(heard.hasAborted).toBe(true);
    reader.end();
    other.end();
  });

  it('one answer is enough, however often it was asked', async () => {
    const mayAnswer = gate();
    const handleOnce = worker(flakyStore(bench.store, { extend: isHeldUntil(mayAnswer.opened) }));
    const [one, two] = [await running(handleOnce, 'one'), await running(handleOnce, 'two')];
    const other = await running(handleOnce, 'other');
    const heard = listening(other.attempt);
    time.setWallClock(STEP_MS);
    expect([one.attempt.signal.aborted, two.attempt.signal.aborted]).toEqual([true, true]);
    mayAnswer.open();
    await time.advance(2 * WINDOW_MS);
    expect(heard.hasAborted).toBe(false);
    for (const { end } of [one, two, other]) end();
  });

  it('it is not asked again once the monotonic clock says so too, as after a standstill', async () => {
    const { store, asked } = watched(flakyStore(bench.store, { extend: isUnreachable }));
    const { attempt, outcome, end } = await running(worker(store));
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + 2);
    expect(asked).toHaveLength(1);
    time.standStill(LEASE_MS);
    await time.advance(2 * LEASE_MS);
    expect(asked).toHaveLength(1);
    const message = 'no heartbeat reached the store within the lease of 60000 ms';
    expect(attempt.signal.reason).toMatchObject({ code: 'LEASE_LOST', message });
    end(attempt.signal.reason);
    expect(await outcome).toMatchObject({ reason: 'lease-lost', attempts: 1 });
  });

  it('it is not asked for a lease beside that is over by the monotonic clock', async () => {
    const { store, asked } = watched(bench.store);
    const handleOnce = worker(store);
    const older = await running(handleOnce, 'older');
    const overdue = vi.fn();
    older.attempt.signal.addEventListener('abort', overdue);
    await time.advance(HEARTBEAT_MS / 2);
    const newer = await running(handleOnce, 'newer');
    time.standStill(LEASE_MS);
    await time.advance(LEASE_MS - HEARTBEAT_MS / 2);
    time.setWallClock(STEP_MS);
    expect(newer.attempt.signal.aborted).toBe(true);
    expect(overdue).toHaveBeenCalledTimes(1);
    const tries = vi.spyOn(time.clock, 'setTimer');
    await time.advance(LEASE_MS);
    expect(tries).not.toHaveBeenCalled();
    expect(asked).toEqual([]);
    older.end(older.attempt.signal.reason);
    newer.end(newer.attempt.signal.reason);
    expect(await older.outcome).toMatchObject({ reason: 'lease-lost' });
  });

  it('a handler that ends is not waited for', async () => {
    const { attempt, outcome, end } = await running(
      worker(flakyStore(bench.store, { extend: isHeldUntil(gate().opened) })),
    );
    const heard = listening(attempt);
    time.setWallClock(STEP_MS);
    await time.advance(HEARTBEAT_MS + 2);
    end();
    expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    await time.advance(2 * WINDOW_MS);
    expect(heard.hasAborted).toBe(false);
  });

  it('an error of the handler that has not read its signal is its own, and counts', async () => {
    const { outcome, end } = await running(worker(bench.store));
    time.setWallClock(STEP_MS);
    end(new Error('broken'));
    expect(await outcome).toMatchObject({ state: 'failed', reason: 'attempts-exhausted' });
  });

  it('a timeout that came first is a failure', async () => {
    const { attempt, outcome, end } = await running(worker(bench.store, { timeoutMs: 500 }));
    await time.advance(510);
    time.setWallClock(STEP_MS);
    expect(attempt.signal.aborted).toBe(true);
    end(attempt.signal.reason);
    expect(await outcome).toMatchObject({ state: 'failed', error: { name: 'TimeoutError' } });
  });

  it('a handler that waits for its turn starts once the answer is there', async () => {
    const { store, answered } = watched(bench.store);
    const handler = vi.fn(() => Promise.resolve('done'));
    const mayStart = (): Promise<boolean> => {
      time.setWallClock(STEP_MS);
      return Promise.resolve(true);
    };
    const { handle } = handlesOf(worker(store));
    const outcome = await handle({ key: 'key', content: 'body', handler, mayStart });
    expect(answered).toEqual(['key']);
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
  });

  it('a handler whose payload is parsed meanwhile starts once the answer is there', async () => {
    const { store, answered } = watched(bench.store);
    const handler = vi.fn(() => Promise.resolve([...answered]));
    const { handle } = handlesOf(worker(store));
    const parse = () => {
      time.setWallClock(STEP_MS);
    };
    expect(await handle({ key: 'key', content: 'body', handler, parse })).toMatchObject({ result: ['key'] });
  });

  it('a handler that waits for its turn does not start without an answer, and nothing is counted', async () => {
    const store = flakyStore(bench.store, { extend: isHeldUntil(gate().opened) });
    const handler = vi.fn(() => Promise.resolve('done'));
    const mayStart = (): Promise<boolean> => {
      time.setWallClock(STEP_MS);
      return Promise.resolve(true);
    };
    const { handle } = handlesOf(worker(store));
    const outcome = handle({ key: 'key', content: 'body', handler, mayStart });
    await time.advance(WINDOW_MS + 10);
    expect(await outcome).toMatchObject({
      reason: 'released',
      attempts: 0,
      error: { name: 'NotStartedError' },
    });
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('a wall clock that is set while one reply is lost doubles nothing', () => {
  const bench = memoryBench();
  const lost = new StoreError('the reply was lost', { retriable: true });

  /** The clock is set, and what was sent is lost: before it was done, or after. */
  function setAndLost(isDone: boolean): Fault {
    return async (send) => {
      if (isDone) await send();
      time.setWallClock(STEP_MS);
      throw lost;
    };
  }

  /** As a broker does: what is not over comes again. */
  async function delivered(handleOnce: HandleOnce, effect: () => unknown) {
    for (let deliveries = 0; deliveries < 5; deliveries += 1) {
      const handled = handleOnce('key', 'body', effect).catch(() => undefined);
      await time.advance(500);
      const outcome = await handled;
      if (outcome?.state === 'succeeded') return outcome;
      await bench.pass(2 * LEASE_MS);
    }
    throw new Error('it does not end');
  }

  it.each([true, false])('of a claim that was done: %s', async (isDone) => {
    const effect = vi.fn();
    const handleOnce = worker(flakyStore(bench.store, { claim: [setAndLost(isDone)] }));
    expect(await delivered(handleOnce, effect)).toMatchObject({ attempts: 1 });
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it.each([true, false])('of a settle that was done: %s', async (isDone) => {
    const effect = vi.fn();
    const handleOnce = worker(flakyStore(bench.store, { settle: [setAndLost(isDone)] }));
    expect(await delivered(handleOnce, effect)).toMatchObject({ attempts: 1, replayed: false });
    expect(effect).toHaveBeenCalledTimes(1);
  });

  it.each([true, false])('of a heartbeat that was done: %s', async (isDone) => {
    const effect = vi.fn();
    const handleOnce = worker(flakyStore(bench.store, { extend: [setAndLost(isDone)] }));
    const outcome = handleOnce('key', 'body', async (_, { signal }) => {
      await delay(time.clock, 2 * HEARTBEAT_MS + 500);
      signal.throwIfAborted();
      effect();
    });
    await time.advance(3 * HEARTBEAT_MS);
    expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
    expect(effect).toHaveBeenCalledTimes(1);
  });
});
