import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createHandleOnce } from '../../src/index.ts';
import type { Store } from '../../src/store.ts';
import { createMemoryStore } from '../../testing/index.ts';

const CALLS = 10_000;

/** A store that answers claims at once, and takes its time for settles. */
function slowToSettle(): Store & { mostUnsettled: () => number } {
  const store = createMemoryStore();
  let unsettled = 0;
  let most = 0;
  return {
    mostUnsettled: () => most,
    claim(requests, terms) {
      unsettled += requests.length;
      most = Math.max(most, unsettled);
      return store.claim(requests, terms);
    },
    async settle(requests, scope) {
      await sleep(50);
      unsettled -= requests.length;
      return await store.settle(requests, scope);
    },
    extend: (requests, terms) => store.extend(requests, terms),
  };
}

it('claims no more than a few batches ahead of settles that are slow', async () => {
  const store = slowToSettle();
  const handleOnce = createHandleOnce({ store, scope: 'billing' });
  const calls = Array.from({ length: CALLS }, (_, index) =>
    handleOnce(`message-${index}`, 'body', () => undefined),
  );
  const states = new Set((await Promise.all(calls)).map(({ state }) => state));
  expect([...states]).toEqual(['succeeded']);
  expect(store.mostUnsettled()).toBeLessThan(CALLS / 2);
});

it('sends claims again once slow settles have failed', async () => {
  const store = createMemoryStore();
  const settle = store.settle.bind(store);
  let isDown = true;
  store.settle = async (requests, scope) => {
    await sleep(10);
    if (isDown) throw new Error('down');
    return await settle(requests, scope);
  };
  const handleOnce = createHandleOnce({ store, scope: 'billing' });
  const calls = Array.from({ length: CALLS }, (_, index) =>
    handleOnce(`message-${index}`, 'body', () => undefined),
  );
  await Promise.all(calls.slice(0, 1_000));
  isDown = false;
  const reasons = new Set((await Promise.all(calls)).map((outcome) => outcome.state));
  expect(reasons).toContain('succeeded');
});
