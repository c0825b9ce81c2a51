import { createHandleOnce, InvalidPayloadError, RetryableError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

function parsedBy(parse: () => unknown) {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's' });
  return handleOnce('key', 'body', () => 1, { parse });
}

test('a RetryableError of parse releases the message', async () => {
  const down = new RetryableError('the schema registry is down', { retryAfterMs: 60_000 });
  const parsed = parsedBy(() => {
    throw down;
  });
  expect(await parsed).toMatchObject({ state: 'pending', reason: 'released', retryAfterMs: 60_000 });
  expect(await parsedBy(() => Promise.reject(down))).toMatchObject({ state: 'pending', reason: 'released' });
});

test('any other error of parse fails the message for good', async () => {
  const parsed = parsedBy(() => {
    throw new Error('no');
  });
  expect(await parsed).toMatchObject({ state: 'failed', error: { name: InvalidPayloadError.name } });
});
