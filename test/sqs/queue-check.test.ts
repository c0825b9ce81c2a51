import { createHandleOnce } from 'handle-once';
import type { SqsEvent } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import type { Queue } from '../../adapters/shared/sqs/queue.ts';
import { checkAtStart, type StartCheck } from '../../adapters/sqs/queue-check.ts';

const url = 'https://sqs.example/1/orders';
const onFailed = { deadLetterQueueUrl: `${url}-dead` };
const RedrivePolicy = '{"maxReceiveCount":100}';
const WELL = { VisibilityTimeout: '60', RedrivePolicy };
const named = (name: string) => Object.assign(new Error('no'), { name });

interface Given extends Partial<StartCheck> {
  readonly isFifo?: boolean;
  readonly leaseMs?: number;
  /** Of the queue, and of its dead-letter queue. */
  readonly attributes?: object;
  readonly ofDeadLetters?: object;
}

/** What the check gives and warns of. */
async function check({ isFifo = false, leaseMs, attributes = WELL, ofDeadLetters = {}, ...given }: Given) {
  const warnings: string[] = [];
  const queue = {
    ...{ url, name: 'orders', isFifo },
    attributes(ofUrl?: string) {
      const found = ofUrl === undefined ? attributes : ofDeadLetters;
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  } as unknown as Queue;
  const emit = (event: SqsEvent) => {
    if (event.type === 'warning') warnings.push(`${event.queue} ${event.warning}: ${event.message}`);
  };
  const result = await checkAtStart({
    ...{ subject: 'createSqsWorker', queue, events: { emit } as StartCheck['events'] },
    settings: createHandleOnce({ store: createMemoryStore(), scope: 's', ...(leaseMs && { leaseMs }) })
      .settings,
    ...{ visibilityTimeoutSeconds: undefined, onFailed: undefined, ownsReceives: true },
    ...given,
  });
  return { ...result, warnings };
}

test.each<[timeouts: object, given: Given]>([
  [{ received: 60, held: 60 }, {}],
  [{ received: 31, held: 31 }, { visibilityTimeoutSeconds: 31 }],
  [{ received: 31, held: 31 }, { attributes: { ...WELL, VisibilityTimeout: '31' } }],
  [
    { received: 30, held: 60 },
    { attributes: { ...WELL, VisibilityTimeout: '30' }, ownsReceives: false },
  ],
  [{ received: 10, held: 60 }, { attributes: { ...WELL, VisibilityTimeout: '10' } }],
])('messages are invisible for %j seconds: %j', async (timeouts, given) => {
  expect(await check(given)).toEqual({ timeouts, maxReceiveCount: 100, warnings: [] });
});

test.each<[warning: RegExp, given: Given]>([
  [
    /^orders VISIBILITY_TIMEOUT_TOO_SHORT: .* timeout of 10 s is below the lease of 30 s: .* VisibilityTimeout: 60, and pass visibilityTimeoutSeconds: 60$/,
    { attributes: { ...WELL, VisibilityTimeout: '10' }, ownsReceives: false },
  ],
  [
    /^orders NO_REDRIVE_POLICY: .* every 60 s until the queue's retention of 100 s ends, up to 2 times\. /,
    { attributes: { VisibilityTimeout: '60', MessageRetentionPeriod: '100' } },
  ],
  [/every 60 s until the queue's retention ends\. /, { attributes: { VisibilityTimeout: '60' } }],
  [/^orders REDRIVE_MOVES_GROUP: .* after 100 receives/, { isFifo: true }],
  [/^orders REDRIVE_MOVES_GROUP/, { isFifo: true, onFailed: 'keep' }],
  [/^orders MAX_RECEIVE_COUNT_TOO_LOW/, { attributes: { ...WELL, RedrivePolicy: '{"maxReceiveCount":1}' } }],
  [
    /^orders QUEUE_ATTRIBUTES_UNREADABLE: .*: its settings were not checked\. Allow sqs:GetQueueAttributes on it$/,
    { attributes: named('AccessDenied') },
  ],
  [/on it\. Without a redrive policy .* blocks/, { attributes: named('AccessDenied'), isFifo: true }],
  [/on it$/, { attributes: named('AccessDenied'), isFifo: true, onFailed: 'keep' }],
  [
    /^orders QUEUE_ATTRIBUTES_UNREADABLE: .* the dead-letter queue orders-dead .* whether it takes all copies/,
    { onFailed, ofDeadLetters: named('AccessDenied') },
  ],
  [
    /^orders DEAD_LETTER_QUEUE_TOO_SMALL: .* up to 1048575 bytes, and the queue of up to 1048576:/,
    { onFailed, ofDeadLetters: { MaximumMessageSize: '1048575' } },
  ],
])('%s is warned of: %j', async (warning, given) => {
  expect((await check(given)).warnings).toEqual([expect.stringMatching(warning)]);
});

test.each<Given>([
  { attributes: { VisibilityTimeout: '60' }, onFailed: 'keep' },
  { isFifo: true, onFailed },
  { isFifo: true, onFailed: 'keep', attributes: { VisibilityTimeout: '60' } },
  { onFailed, ofDeadLetters: { MaximumMessageSize: '1048576' } },
  {
    onFailed,
    attributes: { ...WELL, MaximumMessageSize: '1024' },
    ofDeadLetters: { MaximumMessageSize: '1024' },
  },
])('nothing is warned of: %j', async (given) => {
  expect((await check(given)).warnings).toEqual([]);
});

test.each<[field: string, message: RegExp, given: Given]>([
  ['queueUrl', /^names a queue that does not exist \(orders\)/, { attributes: named('QueueDoesNotExist') }],
  [
    'onFailed',
    /^deadLetterQueueUrl names a queue that does not exist \(orders-dead\)/,
    { onFailed, ofDeadLetters: named('AWS.SimpleQueueService.NonExistentQueue') },
  ],
  [
    'onFailed',
    /^is missing, .* until the queue's retention of 100 s ends/,
    { isFifo: true, attributes: { MessageRetentionPeriod: '100' } },
  ],
  ['onFailed', /until the queue's retention ends/, { isFifo: true, attributes: {} }],
  [
    'visibilityTimeoutSeconds',
    /^is missing, and the queue's own cannot be read/,
    { attributes: named('AccessDenied'), ownsReceives: false },
  ],
  ['visibilityTimeoutSeconds', /^is 43200 s and must be above/, { leaseMs: 43_200_000 }],
])('a wrong %s is refused: %s', async (field, message, given) => {
  await expect(check(given)).rejects.toMatchObject({
    issues: [{ field, message: expect.stringMatching(message) as string }],
  });
});

test('the worker of a queue without a visibility timeout uses twice the lease', async () => {
  expect(await check({ attributes: named('AccessDenied') })).toMatchObject({
    ...{ timeouts: { received: 60, held: 60 }, maxReceiveCount: undefined },
  });
});
