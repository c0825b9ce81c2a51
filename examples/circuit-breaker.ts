/**
 * A provider that is down: the breaker spares it calls, and what it holds up counts no failures meanwhile.
 * `npx tsx examples/circuit-breaker.ts`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { circuitBreaker, ConsecutiveBreaker, handleAll, isBrokenCircuitError } from 'cockatiel';
import { createHandleOnce, RetryableError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';

const DOWN_MS = 100;
const breaker = circuitBreaker(handleAll, {
  halfOpenAfter: DOWN_MS,
  breaker: new ConsecutiveBreaker(2),
});

let isDown = true;
let calls = 0;

function charge(): Promise<string> {
  calls += 1;
  return isDown ? Promise.reject(new Error('503 from the provider')) : Promise.resolve('charged');
}

/** The handler: only what the provider itself has answered counts as an attempt. */
async function chargeOnce(): Promise<string> {
  try {
    return await breaker.execute(charge);
  } catch (error) {
    if (!isBrokenCircuitError(error)) throw error;
    throw new RetryableError('the provider is down', { retryAfterMs: DOWN_MS, counted: false });
  }
}

test('while a provider is down, messages wait, and no failure is counted', async () => {
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'billing', backoff: () => DOWN_MS });
  const deliver = (key: string) => handleOnce(key, { key }, chargeOnce);

  // Two failures open the breaker.
  await deliver('order-1');
  await deliver('order-2');
  const waiting = await deliver('order-3');
  assert.equal(waiting.state === 'pending' && waiting.reason, 'deferred');
  assert.equal(waiting.attempts, 0);
  assert.equal(calls, 2);

  isDown = false;
  await setTimeout(DOWN_MS);
  store.advance(DOWN_MS);
  const charged = await deliver('order-3');
  assert.deepEqual(charged, { state: 'succeeded', replayed: false, attempts: 1, result: 'charged' });
});
