import { createHandleOnce, retryBudget } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { unreadableQueue } from '../../adapters/shared/sqs/queue-check.ts';
import { type QueueFacts, queueFacts, queueWarnings } from '../../adapters/shared/sqs/queue-settings.ts';
import { queueName } from '../../adapters/shared/sqs/queue-url.ts';

const { settings } = createHandleOnce({
  store: createMemoryStore(),
  scope: 's',
  maxAttempts: 5,
  succeededRetentionMs: 100_000,
  failedRetentionMs: 200_000,
});

const NOTHING = queueFacts({});

function warningsOf(facts: Partial<QueueFacts>, overrides: Partial<typeof settings> = {}): string[] {
  return queueWarnings({ ...NOTHING, ...facts }, { ...settings, ...overrides }).map(({ warning }) => warning);
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

test('what a queue tells is read, and its name is of its URL or its ARN', () => {
  const told = { VisibilityTimeout: '30', MessageRetentionPeriod: '345600', MaximumMessageSize: '1024' };
  expect(queueFacts(told)).toMatchObject({
    ...{ visibilityTimeoutSeconds: 30, retentionSeconds: 345_600, maxMessageBytes: 1_024 },
  });
  expect(['https://sqs.example/1/orders', 'arn:aws:sqs:eu:1:orders'].map(queueName)).toEqual([
    'orders',
    'orders',
  ]);
});

test('either retention that is below that of the queue is warned of, and neither when both reach it', () => {
  expect(warningsOf({ retentionSeconds: 101 })).toEqual(['RETENTION_TOO_SHORT']);
  expect(warningsOf({ retentionSeconds: 100 })).toEqual([]);
  expect(queueWarnings({ ...NOTHING, retentionSeconds: 101 }, settings)[0]?.message).toMatch(
    /for 101 s, but records expire after 100 s: .* to at least 101000$/,
  );
  expect(warningsOf({ retentionSeconds: 100 }, { failedRetentionMs: 99_999 })).toEqual([
    'RETENTION_TOO_SHORT',
  ]);
});

test('a maxReceiveCount that retries, deaths and waits can use up is warned of', () => {
  const { maxReceiveCount } = retryBudget(settings);
  expect(warningsOf({ maxReceiveCount })).toEqual([]);
  expect(queueWarnings({ ...NOTHING, maxReceiveCount: maxReceiveCount - 1 }, settings)).toEqual([
    {
      warning: 'MAX_RECEIVE_COUNT_TOO_LOW',
      message: expect.stringMatching(
        /moves a message after 19 receives, .* it can take 20: .* Raise maxReceiveCount to at least 20$/,
      ) as unknown,
    },
  ]);
});

test.each([Infinity, 2_000])('what no queue allows is not advised: maxAttempts %s', (maxAttempts) => {
  const [warning] = queueWarnings({ ...NOTHING, maxReceiveCount: 1_000 }, { ...settings, maxAttempts });
  expect(warning?.message).toMatch(/ Lower maxAttempts: SQS allows a maxReceiveCount of at most 1000$/);
});

test.each([
  [{ name: 'AccessDenied', message: 'not authorized to perform sqs:getqueueattributes' }, 'Allow sqs:GetQ'],
  [{ name: 'Error', code: 'ECONNREFUSED', message: 'connect' }, 'endpoint of the SQS client can be reached'],
  [{ name: 'TimeoutError', message: 'no answer' }, 'endpoint of the SQS client can be reached'],
  [{ name: 'CredentialsProviderError', message: 'Could not load credentials' }, 'the credentials of a role'],
  [{ name: 'Error', message: 'Region is missing' }, 'the region of the queue'],
  [{ name: 'QueueDoesNotExist', message: 'none' }, 'Create it, or correct its URL'],
  [{ name: 'Error', message: 'odd' }, 'Correct what the error names'],
])('attributes that cannot be read say what to do about the cause: %o', (thrown, fix) => {
  const { message } = unreadableQueue(Object.assign(new Error(thrown.message), thrown), false);
  expect(message).toContain(`(${thrown.name}: ${thrown.message}): its settings were not checked. `);
  expect(message).toContain(fix);
});
