import type { SqsMessage } from 'handle-once/sqs';
import { expect, test } from 'vitest';
import { ownerOf } from '../../adapters/sqs/redrive/owner-of.ts';

const key = ({ MessageId }: SqsMessage) => MessageId;

function deadLetter(attributes: Record<string, string>): SqsMessage {
  const values = Object.entries(attributes).map(([name, StringValue]) => [
    name,
    { DataType: 'String', StringValue },
  ]);
  return {
    MessageId: 'deadLetter',
    Attributes: { SentTimestamp: '1' },
    MessageAttributes: Object.fromEntries(values) as NonNullable<SqsMessage['MessageAttributes']>,
  };
}

const OURS = { HandleOnceScope: 'billing', HandleOnceKey: 'order-7' };
const OF_RECORD = JSON.stringify({ scope: 'billing', key: 'order-7' });
const OF_ORIGINAL = JSON.stringify({ scope: 'billing', messageId: 'original' });

test.each<[of: string, attributes: Record<string, string>, key: string, isOwn: boolean]>([
  ['our dead letter', { ...OURS, HandleOnceAttempts: '3' }, 'order-7', true],
  ['our dead letter that may have been refused', OURS, 'order-7', false],
  ['a copy of a record', { HandleOnceIdentity: OF_RECORD }, 'order-7', false],
  ['a copy of an original', { HandleOnceIdentity: OF_ORIGINAL }, 'original', true],
  ['a copy, in our dead letter', { ...OURS, HandleOnceIdentity: OF_ORIGINAL }, 'order-7', false],
  [
    'a copy whose dead letter lost its key',
    { HandleOnceScope: 'b', HandleOnceIdentity: OF_RECORD },
    'order-7',
    false,
  ],
  ['a message that the queue moved', {}, 'deadLetter', true],
])('a dead letter is that of %s', (_, attributes, found, isOwn) => {
  const namesScope = Object.keys(attributes).length > 0;
  expect(ownerOf(deadLetter(attributes), { scope: 'billing', key })).toMatchObject({
    ...{ scope: 'billing', key: found, isOwn, namesScope },
  });
});

test('our dead letter says when it was sent; one that the queue moved has the time of its message', () => {
  const options = { scope: 'billing', key };
  const ours = deadLetter({ ...OURS, HandleOnceAttempts: '3' });
  expect(ownerOf(ours, options)).toMatchObject({ attempts: 3, sentAt: new Date(1) });
  expect(ownerOf({ ...ours, Attributes: undefined }, { key })).toMatchObject({
    key: 'order-7',
    sentAt: undefined,
  });
  expect(ownerOf(deadLetter({}), options)).toMatchObject({ attempts: 0, sentAt: undefined });
  const bare = { MessageId: 'deadLetter' };
  expect(ownerOf(bare, options)).toMatchObject({ key: 'deadLetter', identity: { sentAt: undefined } });
});

test('under a key of the consumer’s own, the record can be that of another message', () => {
  const own = ownerOf(deadLetter({}), { scope: 'billing', key: () => 'order-7' });
  expect(own).toMatchObject({
    key: 'order-7',
    isOwn: false,
    identity: { messageId: 'deadLetter', sentAt: '1' },
  });
});

test.each<[kept: string, attributes: Record<string, string>, options: object]>([
  ['refused', { ...OURS, HandleOnceAttempts: '0' }, {}],
  ['no-scope', {}, { scope: undefined }],
  ['other-scope', OURS, { scope: 'mail' }],
  ['no-identity', { HandleOnceScope: 'billing' }, {}],
  ['no-identity', { HandleOnceKey: 'order-7' }, {}],
  ['no-identity', { HandleOnceError: 'TerminalError: no' }, {}],
  ['no-identity', { ...OURS, HandleOnceKey: `${'k'.repeat(999)}…` }, {}],
  ['no-identity', { ...OURS, HandleOnceKey: 'a\ufffdb' }, {}],
  ['no-identity', {}, { key: () => undefined }],
  [
    'no-identity',
    {},
    {
      key: () => {
        throw new TypeError('no body');
      },
    },
  ],
])('a dead letter is kept as %s: %j %j', (kept, attributes, options) => {
  expect(ownerOf(deadLetter(attributes), { scope: 'billing', key, ...options })).toEqual({ kept });
});

test('a key function that breaks its type is named', () => {
  const options = { scope: 'billing', key: (() => Promise.resolve('k')) as never };
  expect(() => ownerOf(deadLetter({}), options)).toThrow(/^redriveQueue: key/);
});
