import { createHandleOnce, type HandleOnceOptions } from 'handle-once';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { onceEachSqsMessage, onceEachConsumerMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook } from 'handle-once/webhook';
import { describe, expect, test } from 'vitest';
import { withOwnRetries } from '../../src/adapter/resolve-options.ts';
import { ample, kafkaRecord, mskEvent, sqsEvent, sqsRecord } from '../lambda/support/events.ts';
import { SHORT_RETRIES } from '../../adapters/kafka/options/short-retries.ts';

const queueUrl = 'http://127.0.0.1:1/000000000000/orders';
const client = { send: () => Promise.resolve({ Attributes: {} }) } as never;
const message = { MessageId: 'id', ReceiptHandle: 'handle', Body: '{}' };

function handleOnceWith(options: Partial<HandleOnceOptions> = {}) {
  const seen: string[] = [];
  const onEvent = ({ type }: { type: string }): unknown => seen.push(type);
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 's', ...options, onEvent });
  return { handleOnce, seen };
}

const fail = (): Promise<never> => Promise.reject(new Error('no'));
const once = { maxAttempts: 1 };

type Run = (handleOnce: ReturnType<typeof createHandleOnce>) => Promise<unknown>;
const ADAPTERS: [string, Run][] = [
  [
    'onceEachSqsRecord',
    (handleOnce) =>
      onceEachSqsRecord({ handleOnce, ...once }, fail)(sqsEvent(sqsRecord('id', '{}')), ample()),
  ],
  [
    'onceEachKafkaRecord',
    (handleOnce) =>
      onceEachKafkaRecord({ handleOnce, groupId: 'g', onFailed: 'acknowledge', ...once }, fail)(
        mskEvent(kafkaRecord('t', 0, 1)),
        ample(),
      ),
  ],
  [
    'onceEachWebhook',
    (handleOnce) =>
      onceEachWebhook(
        { handleOnce, source: 'github', verify: 'already-verified', ...once },
        fail,
      )({
        headers: { 'x-github-delivery': 'id' },
        body: '{}',
      }),
  ],
  [
    'onceEachSqsMessage',
    (handleOnce) =>
      onceEachSqsMessage(
        { handleOnce, client, queueUrl, visibilityTimeoutSeconds: 60, ...once },
        fail,
      )(message),
  ],
  [
    'onceEachConsumerMessage',
    (handleOnce) =>
      onceEachConsumerMessage(
        { handleOnce, consumerOptions: { queueUrl, sqs: client }, ...once },
        fail,
      ).handleMessage(message),
  ],
];

describe('The retries of an adapter', () => {
  test.each(ADAPTERS)('apply in %s in place of those of its handleOnce', async (_, run) => {
    const { handleOnce, seen } = handleOnceWith();
    await run(handleOnce);
    expect(seen).toEqual(['claimed', 'failed']);
  });

  test('are its own defaults only where createHandleOnce was not told', () => {
    const ofDefaults = withOwnRetries({ handleOnce: handleOnceWith().handleOnce }, SHORT_RETRIES);
    expect(ofDefaults.handleOnce.settings).toMatchObject({ ...SHORT_RETRIES, maxDeaths: 5 });
    const { handleOnce } = handleOnceWith({ maxAttempts: 3 });
    expect(withOwnRetries({ handleOnce }, SHORT_RETRIES).handleOnce.settings.maxAttempts).toBe(3);
    const ofDeaths = handleOnceWith({ maxDeaths: 1 }).handleOnce;
    expect(withOwnRetries({ handleOnce: ofDeaths }, SHORT_RETRIES).handleOnce.settings).toMatchObject({
      maxAttempts: 10,
      maxDeaths: 1,
    });
  });

  test('leave what is not given as it is', () => {
    const { handleOnce } = handleOnceWith({ maxAttempts: 3, maxDeaths: 2 });
    const { settings } = withOwnRetries({ handleOnce, maxAttempts: 4 }).handleOnce;
    expect(settings).toMatchObject({ maxAttempts: 4, maxDeaths: 2 });
  });
});
