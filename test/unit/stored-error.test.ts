import { DrizzleQueryError } from 'drizzle-orm/errors';
import { createHandleOnce, type HandleOnceEvent } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { toStoredError } from '../../src/payload/stored-error.ts';

test('of an error of Drizzle the parameters are not kept, nor told', async () => {
  const events: HandleOnceEvent[] = [];
  const onEvent = (event: HandleOnceEvent) => events.push(event);
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's', maxAttempts: 1, onEvent });
  const cause = new Error('duplicate key');
  const outcome = await handleOnce('key', 1, () => {
    throw new DrizzleQueryError('insert into users values ($1)', ['ann@secret.example', 'a\nb'], cause);
  });
  const error = {
    message: 'Failed query: insert into users values ($1)',
    cause: { message: 'duplicate key' },
  };
  expect(outcome).toMatchObject({ state: 'failed', error });
  expect(events.at(-1)).toMatchObject({ type: 'failed', error });
  expect(JSON.stringify([outcome, events])).not.toContain('secret');
});

test.each([{}, { query: 'select' }, { params: [] }])('of an error with %j the message is whole', (fields) => {
  const message = 'the caller said\nparams: a';
  expect(toStoredError(Object.assign(new Error(message), fields))).toMatchObject({ message });
});

test('an error without a code has that of its nearest cause', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const wrapped = new Error('charge', { cause: new TypeError('fetch failed', { cause: refused }) });
  expect(toStoredError(wrapped)).toMatchObject({ name: 'Error', code: 'ECONNREFUSED' });
  expect(toStoredError(Object.assign(wrapped, { code: 7 }))).toMatchObject({ code: 7 });
  expect(toStoredError(new Error('charge', { cause: new Error('no') }))).not.toHaveProperty('code');
});
