import { createHandleOnce } from 'handle-once';
import { onceEachConsumerMessage, type SqsConsumerEvent } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a call that hears no abort is given up: the message is kept', async () => {
  const events: SqsConsumerEvent[] = [];
  const sqs = { send: () => new Promise<never>(() => undefined) };
  const { handleMessage } = onceEachConsumerMessage(
    {
      consumerOptions: { queueUrl: 'https://sqs.example/queue', visibilityTimeout: 60, sqs: sqs as never },
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 's' }),
      onFailed: 'acknowledge',
      onEvent: (event) => events.push(event),
    },
    () => {
      throw new Error('not now');
    },
  );
  const handled = handleMessage({ MessageId: 'id', ReceiptHandle: 'handle', Body: '1' });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await handled).toEqual({});
  expect(events.filter(({ type }) => type === 'queue-error')).toMatchObject([
    { verb: 'change-visibility', error: { name: 'TimeoutError' } },
  ]);
});
