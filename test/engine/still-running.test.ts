import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test, vi } from 'vitest';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { createHost } from '../../src/engine/host.ts';
import { BEATS_PER_LEASE } from '../../src/engine/lease-alarms.ts';
import type { HandleOnce, HandleOnceEvent, HandleOnceOptions } from '../../src/index.ts';
import { gate } from '../support/gate.ts';
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

/** A settle is given up after a second at the least, which is more than two of these. */
const LEASE_MS = 300;

function handleOnceIn(time: VirtualTime, options: Partial<HandleOnceOptions>): HandleOnce {
  const given = { store: createMemoryStore(), scope: 'billing', leaseMs: LEASE_MS, ...options };
  return createHandleOnceIn(createHost(time.clock, 'abcdef01'), given);
}

test('a handler that runs for longer than its lease is reported', async () => {
  const time = createVirtualTime();
  const mayEnd = gate();
  const events: HandleOnceEvent[] = [];
  const onEvent = (event: HandleOnceEvent): unknown => events.push(event);
  const outcome = handleOnceIn(time, { onEvent })('k', 'body', () => mayEnd.opened);
  await time.advance(1.2 * LEASE_MS);
  mayEnd.open();
  expect(await outcome).toMatchObject({ state: 'succeeded' });
  const running = events.filter(({ type }) => type === 'still-running');
  const runningMs = expect.closeTo(LEASE_MS, -2) as number;
  expect(running).toEqual([{ type: 'still-running', scope: 'billing', key: 'k', attempts: 1, runningMs }]);
});

test('a settle that takes longer than a lease is no running handler', async () => {
  const time = createVirtualTime();
  const maySettle = gate();
  const memory = createMemoryStore();
  const extend = vi.fn<Store['extend']>((...request) => memory.extend(...request));
  const store: Store = {
    ...memory,
    extend,
    async settle(...request) {
      await maySettle.opened;
      return await memory.settle(...request);
    },
  };
  const handleOnce = handleOnceIn(time, { store });
  const outcome = handleOnce('k', 'body', () => 'done');
  await time.advance(2.2 * LEASE_MS);
  expect(extend.mock.calls.length).toBeGreaterThan(BEATS_PER_LEASE);
  maySettle.open();
  expect(await outcome).toMatchObject({ state: 'succeeded' });
  expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1 });
});

test('a wait before the handler is no running handler', async () => {
  const time = createVirtualTime();
  const mayStart = gate();
  const schema: StandardSchemaV1<string> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      async validate(value) {
        await mayStart.opened;
        return { value: value as string };
      },
    },
  };
  const handleOnce = handleOnceIn(time, { schema });
  const outcome = handleOnce('k', 'body', () => 'done');
  await time.advance(2.2 * LEASE_MS);
  mayStart.open();
  expect(await outcome).toMatchObject({ state: 'succeeded' });
  expect(handleOnce.counts()).toEqual({ claimed: 1, succeeded: 1 });
});
