import { createHandleOnce, InvalidKeyError, InvalidOptionsError } from 'handle-once';
import { createAttempt, createMemoryStore } from 'handle-once/testing';
import { expect, it, vi } from 'vitest';

it('is a first attempt whose signal does not abort, unless the test says more', () => {
  const attempt = createAttempt();
  expect(attempt).toMatchObject({ key: 'test-message', scope: 'test', number: 1 });
  expect(attempt.signal.aborted).toBe(false);
});

it('has what the test gives', () => {
  const signal = AbortSignal.abort();
  const given = { key: 'order-7', scope: 'billing>tenant:acme', number: 3, signal };
  expect(createAttempt(given)).toMatchObject(given);
});

it('has the child keys of a real attempt', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const real = await handleOnce('order-7', 'body', (_, attempt) => attempt.childKey('charge'));
  const made = createAttempt({ scope: 'billing', key: 'order-7' }).childKey('charge');
  expect(real).toMatchObject({ result: made });
});

it('refuses the names of child keys that a real attempt refuses', () => {
  expect(() => createAttempt().childKey('')).toThrow(InvalidKeyError);
});

it('runs steps, but for those that have ended', async () => {
  const attempt = createAttempt({ steps: { charge: { id: 'charge-1' }, mail: undefined } });
  const run = vi.fn((key: string) => ({ key, at: new Date(0) }));
  expect(await attempt.step('charge', run)).toEqual({ id: 'charge-1' });
  expect(await attempt.step('mail', run)).toBeUndefined();
  expect(run).not.toHaveBeenCalled();
  const key = attempt.childKey('ship');
  expect(await attempt.step('ship', run)).toEqual({ key, at: '1970-01-01T00:00:00.000Z' });
});

it('refuses the calls of steps that a real attempt refuses', async () => {
  const { step } = createAttempt({ steps: { mail: new Map() } });
  const failing = vi.fn(() => Promise.reject(new Error('down')));
  await expect(step('charge', failing)).rejects.toThrow('down');
  await step('charge', () => 1);
  await expect(step('charge', () => 2)).rejects.toThrow(/name: "charge" was used before in this attempt/);
  await expect(step('', () => 1)).rejects.toThrow(InvalidKeyError);
  await expect(step('ship', 'text' as never)).rejects.toThrow(/run: must be a function, got string/);
  await expect(step('mail', () => 1)).rejects.toThrow(/step "mail" has ended .* JSON cannot keep it/);
});

it.each([
  ['steps', { steps: 7 }],
  ['key', { key: '' }],
  ['scope', { scope: 7 }],
  ['number', { number: 0 }],
  ['signal', { signal: {} }],
  ['keys', { keys: 'order-7' }],
])('refuses a wrong %s by name', (field, options) => {
  const refused = { issues: [expect.objectContaining({ field })] };
  expect(() => createAttempt(options as object)).toThrow(InvalidOptionsError);
  expect(() => createAttempt(options as object)).toThrow(expect.objectContaining(refused) as Error);
});
