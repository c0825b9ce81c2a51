import * as fc from 'fast-check';
import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { anyCall, checkCall, nothingTold, tellTo } from '../../proof/fuzz/any-call.ts';
import { isPolluted, tellsSecret } from '../../proof/fuzz/leaks.ts';
import { fuzzed } from '../../proof/fuzz/settings.ts';
import { anyMembers, anyValue, SECRET } from '../../proof/fuzz/values.ts';

test('a call of any kind ends as documented, runs once, and tells nothing of its payload', async () => {
  const told = nothingTold();
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'fuzz', ...tellTo(told) });
  await fc.assert(
    fc.asyncProperty(anyCall, (call) => checkCall(handleOnce, call, told)),
    fuzzed(1_000),
  );
});

test('what looks for the payload finds it in an error, in its cause, and where it is hidden', () => {
  expect(tellsSecret(new Error(SECRET))).toBe(true);
  expect(tellsSecret(new Error('x', { cause: new Error(SECRET) }))).toBe(true);
  expect(tellsSecret(Object.defineProperty({}, 'hidden', { value: SECRET }))).toBe(true);
  expect(tellsSecret(new Error('x'))).toBe(false);
});

test('what looks for a polluted prototype finds one', () => {
  Object.defineProperty(Object.prototype, 'polluted', { value: true, configurable: true });
  try {
    expect(isPolluted()).toBe(true);
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted');
  }
  expect(isPolluted()).toBe(false);
});

test('options of any kind are refused as documented', () => {
  const names = [
    'sql',
    'store',
    'scope',
    'leaseMs',
    'maxAttempts',
    'backoff',
    'schema',
    'databaseSchema',
    'logger',
  ];
  const options = fc.oneof(anyValue, anyMembers(names));
  fc.assert(
    fc.property(options, (given) => {
      try {
        createHandleOnce(given() as { store: ReturnType<typeof createMemoryStore>; scope: string });
      } catch (error) {
        expect(error).toMatchObject({ name: 'InvalidOptionsError', code: 'INVALID_OPTIONS' });
      }
      expect(isPolluted()).toBe(false);
    }),
    fuzzed(500),
  );
});
