import { beforeEach, expect, it, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import type { Attempt, HandleOnce } from '../../src/index.ts';
import type { ExtendReply, Store } from '../../src/store/store.ts';
import type { TransactionalStore } from '../../src/store/transactional-store.ts';
import { gate } from '../support/gate.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';
import { memoryBench } from './support/bench.ts';
import { type Fault, flakyStore, isHeldUntil, isUnreachable, works } from './support/flaky-store.ts';

const bench = memoryBench();

/** Short, so that a reply may take longer than the time between two heartbeats. */
const LEASE_MS = 600;

let time: VirtualTime;

beforeEach(() => {
  time = createVirtualTime();
});

function worker<Tx>(store: Store, transactional?: TransactionalStore<Tx>): HandleOnce<Tx> {
  const options = { store, scope: 'heartbeats', leaseMs: LEASE_MS };
  return createHandleOnceIn(createHost(time.clock, 'abcdef01'), options, transactional);
}

/** A store of whose transactions all that throw have run into a conflict. */
function transactional(store: Store): TransactionalStore<undefined> {
  return {
    ...store,
    begin: (work) => work(undefined),
    tellsRollback: true,
    settleLast: () => Promise.resolve('settled'),
    isRolledBack: () => true,
    isConflict: () => true,
  };
}

function conflict(): never {
  throw new Error('deadlock detected');
}

/** A handler that does not end before `mayEnd` does. */
function running(store: Store, key: string, mayEnd = gate().opened): Promise<Attempt> {
  return new Promise((resolve) => {
    void worker(store)(key, 'body', (_, attempt) => {
      resolve(attempt);
      return mayEnd;
    });
  });
}

it('a lease that the reply to its claim has nearly used up is extended at once', async () => {
  let heartbeats = 0;
  const { store } = bench;
  await running(
    {
      ...store,
      async claim(requests, terms) {
        const replies = await store.claim(requests, terms);
        await time.advance(400);
        return replies;
      },
      extend(requests, terms) {
        heartbeats += 1;
        return store.extend(requests, terms);
      },
    },
    'late claim',
  );
  await time.advance(10);
  expect(heartbeats).toBe(1);
});

it('a lease that the reply to its claim has nearly used up ends when it was claimed for so long', async () => {
  const { store } = bench;
  const { signal } = await running(
    {
      ...flakyStore(store, { extend: isUnreachable }),
      async claim(requests, terms) {
        const replies = await store.claim(requests, terms);
        await time.advance(450);
        return replies;
      },
    },
    'late claim, no heartbeat',
  );
  const hasAborted = vi.fn();
  signal.addEventListener('abort', hasAborted);
  await time.advance(130);
  expect(hasAborted).not.toHaveBeenCalled();
  await time.advance(30);
  expect(hasAborted).toHaveBeenCalled();
});

it('a late reply to an earlier heartbeat does not shorten the lease', async () => {
  const mayAnswer = gate();
  const extend = [isHeldUntil(mayAnswer.opened), works, isUnreachable, isUnreachable];
  const { signal } = await running(flakyStore(bench.store, { extend }), 'late heartbeat');
  await time.advance(450);
  mayAnswer.open();
  await time.advance(450);
  expect(signal.aborted).toBe(false);
  await time.advance(100);
  expect(signal.aborted).toBe(true);
});

it.each<[string, ExtendReply]>([
  ['ours', 'extended'],
  ['another’s', 'lost'],
])('that the lease is %s aborts no signal where its handler has ended', async (_, reply) => {
  const [mayAnswer, mayEnd] = [gate(), gate()];
  const extend: Fault = () => mayAnswer.opened.then(() => [reply] as never);
  const { signal } = await running(flakyStore(bench.store, { extend }), `ended, ${reply}`, mayEnd.opened);
  await time.advance(250);
  mayEnd.open();
  await time.advance(10);
  mayAnswer.open();
  await time.advance(2 * LEASE_MS);
  expect(signal.aborted).toBe(false);
});

it('a transaction that was given up extends no lease, also where it runs into a conflict', async () => {
  const extend = vi.fn<Store['extend']>((...args) => bench.store.extend(...args));
  const store = { ...bench.store, extend };
  const mayEnd = gate();
  const handleOnce = worker(store, transactional(store));
  const outcome = handleOnce.inTransaction('given up', 'body', () => mayEnd.opened.then(conflict), {
    timeoutMs: 100,
  });
  await time.advance(1_150);
  expect(await outcome).toMatchObject({ state: 'pending', reason: 'unrecorded' });
  extend.mockClear();
  await time.advance(LEASE_MS / 2);
  mayEnd.open();
  await time.advance(LEASE_MS);
  expect(extend).not.toHaveBeenCalled();
});

it('a transaction that begins again after its settle has lost a conflict has heartbeats again', async () => {
  const { store } = bench;
  const settleLast = vi.fn<TransactionalStore<undefined>['settleLast']>(() => Promise.resolve('settled'));
  settleLast.mockImplementationOnce(conflict);
  const mayEnd = gate();
  const signals: AbortSignal[] = [];
  const handleOnce = worker(store, { ...transactional(store), settleLast });
  const handler = async (_: string, { signal }: Attempt): Promise<void> => {
    signals.push(signal);
    if (signals.length > 1) await mayEnd.opened;
  };
  const outcome = handleOnce.inTransaction('conflict', 'body', handler, { timeoutMs: 60_000 });
  await time.advance(3 * LEASE_MS);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  mayEnd.open();
  await time.advance(10);
  expect(await outcome).toMatchObject({ state: 'succeeded', attempts: 1 });
});

it('a lease that is over, as its heartbeat is the first to see, has no more heartbeats', async () => {
  await running(bench.store, 'over');
  time.standStill(LEASE_MS);
  await time.advance(LEASE_MS + 1);
  const timers = vi.spyOn(time.clock, 'setTimer');
  await time.advance(3 * LEASE_MS);
  expect(timers).not.toHaveBeenCalled();
});
