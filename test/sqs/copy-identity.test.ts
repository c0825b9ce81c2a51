import type { SqsMessage } from 'handle-once/sqs';
import { describe, expect, test } from 'vitest';
import {
  type CopyIdentity,
  originalOf,
  readIdentity,
  receivedForm,
  withOriginals,
  writeIdentity,
} from '../../adapters/shared/sqs/copy-identity.ts';

const form = receivedForm<SqsMessage>();

function copy(identity: CopyIdentity | string): SqsMessage {
  const StringValue = typeof identity === 'string' ? identity : writeIdentity(identity);
  return {
    MessageId: 'copy',
    Attributes: { SentTimestamp: '2', MessageGroupId: 'g' },
    MessageAttributes: { HandleOnceIdentity: { DataType: 'String', StringValue } },
  };
}

const keyOf = (message: SqsMessage, key = (one: SqsMessage) => one.MessageId) =>
  withOriginals(key, 'billing', form)(message);

test.each<CopyIdentity>([
  { scope: 'billing>tenant:a%20b', key: 'order-7' },
  { scope: 'billing', key: 'a\u0001"\\\ufffe\uffff\u2028é' },
  { scope: 'billing', messageId: 'id', sentAt: '1' },
  { scope: 'billing', messageId: 'id' },
])('an identity is read as it was written, in characters that SQS takes: %j', (identity) => {
  const written = writeIdentity(identity);
  expect(readIdentity(written)).toEqual(identity);
  // oxlint-disable-next-line no-control-regex -- those that SQS refuses
  expect(written).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
});

describe('The key of a copy', () => {
  test('is the one on record, whatever the key function', () => {
    expect(keyOf(copy({ scope: 'billing', key: 'order-7' }))).toBe('order-7');
    expect(keyOf(copy({ scope: 'billing', key: 'order-7' }), () => 'another')).toBe('order-7');
  });

  test('is what the key function says of the original, where only that can tell', () => {
    const message = copy({ scope: 'billing', messageId: 'original', sentAt: '1' });
    expect(keyOf(message)).toBe('original');
    expect(keyOf(message, ({ MessageId, Attributes }) => JSON.stringify([MessageId, Attributes]))).toBe(
      JSON.stringify(['original', { SentTimestamp: '1', MessageGroupId: 'g' }]),
    );
  });

  test.each([
    copy({ scope: 'mail', key: 'k' }),
    copy('{'),
    copy('null'),
    copy('{"scope":"billing"}'),
    copy('{"scope":"billing","key":"k","messageId":"m"}'),
    { MessageId: 'copy' },
  ])('is its own where it is no copy in this scope: %j', (message) => {
    expect(keyOf(message)).toBe('copy');
  });
});

describe('The original of a copy', () => {
  const Tenant = { DataType: 'String', StringValue: 'acme' };
  const withTenant = (message: SqsMessage): SqsMessage => ({
    ...message,
    MessageAttributes: { ...message.MessageAttributes, Tenant },
  });
  const Attributes = { SentTimestamp: '2', MessageGroupId: 'g' };

  test('has its identity, and its attributes only', () => {
    expect(
      originalOf(copy({ scope: 'billing', messageId: 'original', sentAt: '1' }), 'billing', form),
    ).toEqual({
      MessageId: 'original',
      Attributes: { ...Attributes, SentTimestamp: '1' },
      MessageAttributes: undefined,
    });
    const tenants = withTenant(copy({ scope: 'billing', key: 'order-7' }));
    const original = { MessageId: 'copy', Attributes, MessageAttributes: { Tenant } };
    expect(originalOf(tenants, 'billing', form)).toEqual(original);
  });

  test.each([copy({ scope: 'mail', key: 'k' }), copy('{'), { MessageId: 'id' }])(
    'is the message where it is no copy in this scope: %j',
    (message) => {
      expect(originalOf(message, 'billing', form)).toBe(message);
    },
  );
});
