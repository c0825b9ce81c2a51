import { expect, test } from 'vitest';
import { createSendDeadLetter, type QueueDeadLetter } from '../../adapters/shared/sqs/send-dead-letter.ts';

const STANDARD = 'https://sqs.example/1/dead';
const FIFO = `${STANDARD}.fifo`;
const facts = { scope: 'orders', key: 'key-1', errorText: 'TerminalError: no', attempts: 1 };
const OURS = ['HandleOnceScope', 'HandleOnceKey', 'HandleOnceError', 'HandleOnceAttempts'];
const own = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`Own${n}`, { StringValue: 'own' }]));

/** Sends to a queue that refuses its first calls so. */
function setup(...refusals: Error[]) {
  const sent: QueueDeadLetter<object>[] = [];
  const warnings: string[] = [];
  const deadLetter = createSendDeadLetter(
    (letter) => {
      sent.push(letter);
      const refusal = refusals.shift();
      return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
    },
    { emit: ({ message }) => warnings.push(message) },
  );
  return {
    ...{ sent, warnings },
    send: (original: object, deadLetterQueueUrl = STANDARD) =>
      deadLetter(original, facts, { deadLetterQueueUrl }),
  };
}

test.each([
  [STANDARD, { MessageId: 'id', Attributes: { MessageGroupId: 'g' } }, {}],
  [
    FIFO,
    { MessageId: 'id', Attributes: { MessageGroupId: 'g' } },
    { MessageGroupId: 'g', MessageDeduplicationId: 'id' },
  ],
  [FIFO, {}, { MessageGroupId: 'handle-once' }],
])('a dead letter in %s of %j has the address %j', async (QueueUrl, original, address) => {
  const { sent, send } = setup();
  expect(await send({ ...original, Body: 'body' }, QueueUrl)).toEqual([]);
  const MessageAttributes = expect.objectContaining({
    HandleOnceKey: expect.anything() as unknown,
  }) as unknown;
  expect(sent).toEqual([{ QueueUrl, MessageBody: 'body', MessageAttributes, ...address }]);
});

test('what the queue refuses for its size is sent once more, without any of ours', async () => {
  const { sent, send } = setup(new Error('message must be shorter than 262144 bytes'));
  expect(await send({ Body: 'body', MessageAttributes: own(1) })).toEqual(OURS);
  expect(sent[1]).toEqual({ QueueUrl: STANDARD, MessageBody: 'body', MessageAttributes: own(1) });
});

test.each([
  ['for another reason', 'AccessDenied', 1],
  ['for its size, without any of ours', 'MessageTooLong', 10],
])('what the queue refuses %s is not sent again', async (_, refusal, count) => {
  const { sent, send } = setup(new Error(refusal));
  await expect(send({ MessageAttributes: own(count) })).rejects.toThrow(refusal);
  expect(sent).toHaveLength(1);
});

test('the first that lacks some of ours is warned of, with their names', async () => {
  const { warnings, send } = setup();
  for (const count of [6, 9, 8]) await send({ MessageAttributes: own(count) });
  expect(warnings).toEqual([expect.stringContaining(`sent without ${OURS.slice(1).join(', ')}: `)]);
});
