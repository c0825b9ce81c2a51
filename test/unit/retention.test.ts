import { createHandleOnce, retention } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

const HOUR_MS = 60 * 60 * 1_000;

test.each([
  ['payment', 24],
  ['signUp', 1],
  ['webhook', 7 * 24],
  ['job', 30 * 24],
] as const)('%s: %i hours, succeeded or failed', (use, hours) => {
  const { settings } = createHandleOnce({ store: createMemoryStore(), scope: 'any', ...retention[use] });
  expect(settings).toMatchObject({
    succeededRetentionMs: hours * HOUR_MS,
    failedRetentionMs: hours * HOUR_MS,
  });
});

test('the presets cannot be changed', () => {
  expect(Object.isFrozen(retention)).toBe(true);
  expect(Object.values(retention).every((preset) => Object.isFrozen(preset))).toBe(true);
  expect(Object.keys(retention)).toEqual(['payment', 'signUp', 'webhook', 'job']);
});
