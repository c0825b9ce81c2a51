import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

test('a handler that runs for longer than its lease is told of', async () => {
  let told: (event: unknown) => void;
  const seen = new Promise((resolve) => {
    told = resolve;
  });
  const handleOnce = createHandleOnce({
    ...{ store: createMemoryStore(), scope: 'billing', leaseMs: 100 },
    onEvent: (event) => {
      if (event.type === 'still-running') told(event);
    },
  });
  await handleOnce('k', 'body', () => seen);
  const running = { type: 'still-running', scope: 'billing', key: 'k', attempts: 1 };
  expect(await seen).toEqual({ ...running, runningMs: expect.any(Number) as number });
});
