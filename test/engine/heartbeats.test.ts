import { beforeEach, expect, it } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import type { Attempt } from '../../src/index.ts';
import type { Store } from '../../src/store.ts';
import { gate } from '../support/gate.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';
import { memoryBench } from './support/bench.ts';
import { flakyStore, isHeldUntil, isUnreachable, works } from './support/flaky-store.ts';

const bench = memoryBench();

/** Short, so that a reply may take longer than the time between two heartbeats. */
const LEASE_MS = 600;

let time: VirtualTime;

beforeEach(() => {
  time = createVirtualTime();
});

/** A handler that does not end. */
function running(store: Store, key: string): Promise<Attempt> {
  const options = { store, scope: 'heartbeats', leaseMs: LEASE_MS };
  const handleOnce = createHandleOnceIn(createHost(time.clock, 'abcdef01'), options);
  return new Promise((resolve) => {
    void handleOnce(key, 'body', (_, attempt) => {
      resolve(attempt);
      return gate().opened;
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
