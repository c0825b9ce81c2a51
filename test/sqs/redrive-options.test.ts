import { InvalidOptionsError } from 'handle-once';
import { redriveQueue } from 'handle-once/sqs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { redriveQueueOptions } from '../../adapters/sqs/redrive/options.ts';
import { parseOptions } from '../../src/options/parse-options.ts';

const from = 'https://sqs.eu-central-1.amazonaws.com/000000000000/dead';
const to = 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders';
const unused = () => {
  throw new Error('nothing may be called');
};
const right = { client: { send: unused }, sql: { unsafe: unused, begin: unused }, from, to };

test.each<[field: string, value: unknown, message: RegExp]>([
  ['client', {}, /SQSClient/],
  ['sql', undefined, /client made by postgres/],
  ['from', 'orders', /URL of the dead-letter queue/],
  ['to', undefined, /URL of the queue that the dead letters go back to/],
  ['to', from, /another queue than from/],
  ['scope', '', /must not be empty/],
  ['key', 'MessageId', /function of the message/],
  ['filter', true, /function of one dead letter/],
  ['onDeadLetter', {}, /function of one dead letter/],
  ['limit', 0, /whole number of dead letters from 1 to 1,000,000,000/],
  ['perSecond', 0, /whole number of dead letters from 1 to 10,000/],
  ['perSecond', 0.5, /whole number of dead letters from 1 to 10,000/],
  ['dryRun', 'yes', /true or false/],
  ['signal', new AbortController(), /an AbortSignal/],
  ['visibilityTimeoutSeconds', 0, /whole number of seconds from 1 to 43,200/],
  ['force', true, /not an option/],
])('redriveQueue refuses a wrong %s (%j) by name', async (field, value, message) => {
  const refused: unknown = await redriveQueue({ ...right, [field]: value }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidOptionsError);
  expect((refused as InvalidOptionsError).issues).toEqual([
    { field, message: expect.stringMatching(message) as string },
  ]);
});

test.each([
  [1, 1, 11],
  [10, 1, 2],
  [4, 2, 3],
])(
  'redriveQueue refuses at %i a second to hide dead letters for %i s: ten would not be sent',
  async (perSecond, seconds, least) => {
    const options = { ...right, perSecond, visibilityTimeoutSeconds: seconds };
    const message = `must be at least ${least} (got ${seconds}): 10 dead letters are received at once, and sent at perSecond ${perSecond}`;
    await expect(redriveQueue(options as never)).rejects.toMatchObject({
      issues: [{ field: 'visibilityTimeoutSeconds', message }],
    });
  },
);

test('redriveQueue takes what hides ten dead letters for just long enough', () => {
  const options = { ...right, perSecond: 1, visibilityTimeoutSeconds: 11 };
  expect(parseOptions('redriveQueue', redriveQueueOptions(), options as never)).toMatchObject(options);
});

test('without options redriveQueue sends all, 50 a second', () => {
  expect(parseOptions('redriveQueue', redriveQueueOptions(), right as never)).toMatchObject({
    ...{ limit: Infinity, perSecond: 50, dryRun: false },
  });
});

test('redriveQueue reads a queue whose attributes it may not read, and refuses one that is not there', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const redrive = (name: string) => {
    const send = (command: object) =>
      command.constructor.name === 'ReceiveMessageCommand'
        ? Promise.resolve({})
        : Promise.reject(Object.assign(new Error('no'), { name }));
    return redriveQueue({ ...right, client: { send } });
  };
  const report = redrive('AccessDenied');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await report).toMatchObject({ state: 'blocked', sent: 0 });
  await expect(redrive('QueueDoesNotExist')).rejects.toMatchObject({ issues: [{ field: 'from' }] });
});
