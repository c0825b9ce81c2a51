import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { type QueueFacts, queueFacts, queueWarnings } from '../../adapters/shared/sqs/queue-settings.ts';

const { settings } = createHandleOnce({
  store: createMemoryStore(),
  scope: 's',
  maxAttempts: 5,
  succeededRetentionMs: 100_000,
  failedRetentionMs: 200_000,
});

function warningsOf(facts: Partial<QueueFacts>, overrides: Partial<typeof settings> = {}): string[] {
  const nothing = {
    visibilityTimeoutSeconds: undefined,
    retentionSeconds: undefined,
    maxReceiveCount: undefined,
    maxMessageBytes: undefined,
  };
  return queueWarnings({ ...nothing, ...facts }, { ...settings, ...overrides }).map(({ warning }) => warning);
}

test.each([
  ['a number', '{"maxReceiveCount":3}', 3],
  ['a text', '{"maxReceiveCount":"3"}', 3],
  ['missing', '{}', undefined],
  ['of a queue without a policy', '', undefined],
])('a maxReceiveCount that is %s is read', (_, RedrivePolicy, expected) => {
  expect(queueFacts({ RedrivePolicy }).maxReceiveCount).toBe(expected);
});

test('what a queue does not tell is unknown, and nothing is warned of', () => {
  const facts = queueFacts({});
  expect(Object.values(facts)).toEqual(Array(4).fill(undefined));
  expect(queueWarnings(facts, settings)).toEqual([]);
});

test('either retention that is below that of the queue is warned of, and neither when both reach it', () => {
  expect(warningsOf({ retentionSeconds: 101 })).toEqual(['RETENTION_TOO_SHORT']);
  expect(warningsOf({ retentionSeconds: 100 })).toEqual([]);
  expect(warningsOf({ retentionSeconds: 100 }, { failedRetentionMs: 99_999 })).toEqual([
    'RETENTION_TOO_SHORT',
  ]);
});

test('a maxReceiveCount not above maxAttempts is warned of', () => {
  expect(warningsOf({ maxReceiveCount: 5 })).toEqual(['MAX_RECEIVE_COUNT_TOO_LOW']);
  expect(warningsOf({ maxReceiveCount: 6 })).toEqual([]);
  expect(warningsOf({ maxReceiveCount: 1_000 }, { maxAttempts: Infinity })).toEqual([
    'MAX_RECEIVE_COUNT_TOO_LOW',
  ]);
});
