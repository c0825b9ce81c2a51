import { createHandleOnce } from 'handle-once';
import { onceEachConsumerMessage } from 'handle-once/sqs-consumer';
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
