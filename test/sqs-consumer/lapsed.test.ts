import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHandleOnce, TerminalError } from 'handle-once';
import { onceEachConsumerBatch, onceEachConsumerMessage, type SqsConsumerEvent } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';
import { useFrozenTime } from '../support/frozen-time.ts';

const freeze = useFrozenTime();

const VISIBILITY_MS = 60_000;
const MESSAGE = { MessageId: 'id', ReceiptHandle: 'handle', Body: '1' };

function setup(handler: () => unknown) {
  const calls: string[] = [];
  const send = (command: object): Promise<object> => {
    calls.push(command.constructor.name);
    // What calls of one entry look at; the others take any reply.
    return Promise.resolve({ Successful: [{ Id: '0' }] });
  };
  const events: SqsConsumerEvent[] = [];
  const options = {
    consumerOptions: {
      queueUrl: 'https://sqs.example/000000000000/orders',
      visibilityTimeout: VISIBILITY_MS / 1_000,
      sqs: { send: send as unknown as SQSClient['send'] },
    },
    handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's', onEvent: () => undefined }),
    onFailed: { deadLetterQueueUrl: 'https://sqs.example/000000000000/orders-dead' },
    onEvent: (event: SqsConsumerEvent) => events.push(event),
  };
  return {
    single: onceEachConsumerMessage(options, handler),
    batch: onceEachConsumerBatch(options, handler),
    touches: () => calls.filter((name) => name !== 'GetQueueAttributesCommand'),
    told: () => events.map((event) => (event.type === 'kept' ? event.reason : event.type)),
  };
}

/** What a call gives, when so much time has passed. */
async function after<T>(milliseconds: number, call: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  return await call;
}

const ends: [how: string, handler: () => void][] = [
  ['returns', () => undefined],
  [
    'throws',
    () => {
      throw new Error('not now');
    },
  ],
  [
    'fails permanently',
    () => {
      throw new TerminalError('never');
    },
  ],
];

describe.each(ends)('A message whose handler %s', (_, handler) => {
  test('after the process was frozen for a visibility timeout is not touched: another may have it', async () => {
    const frozen = setup(() => {
      freeze(VISIBILITY_MS);
      handler();
    });
    const batch = [{ ...MESSAGE, MessageId: 'of a batch' }];
    expect(await after(1, frozen.single.handleMessage(MESSAGE))).toEqual({});
    expect(await after(1, frozen.batch.handleMessageBatch(batch))).toEqual([]);
    expect([frozen.touches(), frozen.told()]).toEqual([[], ['lapsed', 'lapsed']]);
  });

  test('long after its visibility timeout is ours while the process goes on', async () => {
    const slow = setup(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5 * VISIBILITY_MS));
      handler();
    });
    await after(5 * VISIBILITY_MS, slow.single.handleMessage(MESSAGE));
    expect(slow.told()).not.toContain('lapsed');
  });
});

test('A message whose handler takes twelve hours has lapsed: no heartbeat reaches further', async () => {
  const TWELVE_HOURS_MS = 43_200_000;
  const slow = setup(() => new Promise((resolve) => setTimeout(resolve, TWELVE_HOURS_MS)));
  expect(await after(TWELVE_HOURS_MS, slow.single.handleMessage(MESSAGE))).toEqual({});
  expect(slow.told()).toEqual(['lapsed']);
});

test('A message that has lapsed stays so, whatever heartbeats come after', async () => {
  const frozen = setup(async () => {
    freeze(VISIBILITY_MS);
    await new Promise((resolve) => setTimeout(resolve, 2 * VISIBILITY_MS));
  });
  expect(await after(2 * VISIBILITY_MS, frozen.single.handleMessage(MESSAGE))).toEqual({});
  expect(frozen.told()).toEqual(['lapsed']);
});
