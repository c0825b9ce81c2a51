/**
 * How to test a handler of your own without a database: the memory store behaves as the real one, and its clock can
 * be moved. `npx tsx examples/unit-test.ts`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';

const order = { id: 'order-1', cents: 995 };

test('an order is charged once, however often it is delivered', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  let charges = 0;
  const charge = () => ({ chargeId: `charge-${(charges += 1)}` });

  await handleOnce(order.id, order, charge);
  const again = await handleOnce(order.id, order, charge);

  assert.equal(charges, 1);
  assert.equal(again.state === 'succeeded' && again.result?.chargeId, 'charge-1');
});

test('an order whose charge fails is tried again after the backoff, and not before', async () => {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'billing', backoff: () => 60_000 });
  const failing = () => Promise.reject(new Error('the provider is down'));

  const first = await handleOnce(order.id, order, failing);
  assert.equal(first.state === 'pending' && first.reason, 'released');

  const tooEarly = await handleOnce(order.id, order, () => 'charged');
  assert.equal(tooEarly.state, 'pending');

  store.advance(60_000);
  const later = await handleOnce(order.id, order, () => 'charged');
  assert.deepEqual(later, { state: 'succeeded', replayed: false, attempts: 2, result: 'charged' });
});

test('an order whose worker hangs is taken over, with the same idempotency key', async () => {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'billing', leaseMs: 30_000 });
  const keys: string[] = [];

  const hanging = await handleOnce(order.id, order, async (_, attempt) => {
    keys.push(attempt.childKey('charge'));
    store.advance(30_000);
    const takeover = await handleOnce(order.id, order, (_, attempt) => {
      keys.push(attempt.childKey('charge'));
    });
    assert.equal(takeover.attempts, 2);
    return 'too late';
  });

  assert.equal(hanging.state === 'pending' && hanging.reason, 'lease-lost');
  assert.equal(keys[0], keys[1]);
});
