import { createHandleOnce } from 'handle-once';
import { onceEachConsumerMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

test('a redriven copy runs under the key of its original', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const sqs = { send: () => Promise.resolve({ Attributes: {} }) } as never;
  const consumerOptions = { sqs, queueUrl: 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders' };
  const keys: string[] = [];
  const options = onceEachConsumerMessage({ consumerOptions, handleOnce, onFailed: 'keep' }, (_, { key }) => {
    keys.push(key);
  });
  for (const [MessageId, scope] of [
    ['a', 'billing'],
    ['b', 'billing'],
    ['c', 'mail'],
  ]) {
    const StringValue = JSON.stringify({ scope, messageId: 'original', sentAt: '1' });
    const MessageAttributes = { HandleOnceIdentity: { DataType: 'String', StringValue } };
    await options.handleMessage({ MessageId, ReceiptHandle: 'r', Body: '1', MessageAttributes });
  }
  expect(keys).toEqual(['original', 'c']);
});

test('the fingerprint function gets a redriven copy as its original', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const sqs = { send: () => Promise.resolve({ Attributes: {} }) } as never;
  const consumerOptions = { sqs, queueUrl: 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders' };
  const compared: unknown[] = [];
  const options = onceEachConsumerMessage(
    {
      consumerOptions,
      handleOnce,
      key: () => 'order-7',
      fingerprint(body, { MessageId, Attributes, MessageAttributes }) {
        compared.push([MessageId, Attributes?.SentTimestamp, MessageAttributes]);
        return [body, MessageId, Attributes?.SentTimestamp, MessageAttributes];
      },
      onFailed: 'keep',
    },
    () => undefined,
  );
  const Attributes = { SentTimestamp: '1' };
  const original = { MessageId: 'original', ReceiptHandle: 'r', Body: '1', Attributes };
  const StringValue = JSON.stringify({ scope: 'billing', messageId: 'original', sentAt: '1' });
  const copy = {
    ...original,
    MessageId: 'copy',
    Attributes: { SentTimestamp: '2' },
    MessageAttributes: { HandleOnceIdentity: { DataType: 'String', StringValue } },
  };
  for (const message of [original, copy]) expect(await options.handleMessage(message)).toBe(message);
  expect(compared).toEqual([
    ['original', '1', undefined],
    ['original', '1', undefined],
  ]);
});
