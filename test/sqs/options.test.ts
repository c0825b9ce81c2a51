import { createHandleOnce } from 'handle-once';
import { createSqsWorker, onceEachSqsMessage } from 'handle-once/sqs';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

const queueUrl = 'https://sqs.eu-central-1.amazonaws.com/000000000000/orders';
const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
const shared = { client: { send: () => undefined }, queueUrl, handleOnce };
const handler = (): undefined => undefined;

type Loose = (options: unknown) => unknown;
const newWorker: Loose = (options) => createSqsWorker(options as never, handler);
const wrap: Loose = (options) => onceEachSqsMessage(options as never, handler);

const wrong: [field: string, value: unknown, message: RegExp][] = [
  ['client', undefined, /SQSClient/],
  ['client', {}, /SQSClient/],
  ['queueUrl', undefined, /URL of the queue/],
  ['queueUrl', 'orders', /URL of the queue/],
  ['queueUrl', 'shttp://a', /URL of the queue/],
  ['queueUrl', new URL(queueUrl), /URL of the queue/],
  ['handleOnce', undefined, /createHandleOnce/],
  ['handleOnce', () => undefined, /createHandleOnce/],
  ['schema', {}, /Standard Schema/],
  ['parse', 'json', /function of the body/],
  ['key', 'MessageId', /function of the message/],
  ['fingerprint', true, /false or a function/],
  ['ignoredFields', '/sentAt', /list of JSON pointers/],
  ['onFailed', 'retry', /'acknowledge', 'keep' or/],
  ['visibilityTimeoutSeconds', 0, /whole number of seconds from 1 to 43,200/],
  ['visibilityTimeoutSeconds', 43_201, /whole number of seconds/],
  ['visibilityTimeoutSeconds', 40.5, /whole number of seconds/],
  [
    'visibilityTimeoutSeconds',
    30,
    /^is 30 s and must be above the lease of 30 s; pass visibilityTimeoutSeconds: 60, or a lower leaseMs to createHandleOnce$/,
  ],
  ['onEvent', {}, /function of one event/],
  ['visibilityTimeout', 60, /not an option/],
];

const wrongForWorkers: typeof wrong = [
  ['drainMs', -1, /whole number of milliseconds from 0 to 43,200,000/],
  ['concurrency', 0, /whole number of handlers from 1 to 1,000/],
  ['concurrency', 1_001, /whole number of handlers/],
  ['concurrency', 2.5, /whole number of handlers/],
  ['waitTimeSeconds', -1, /whole number of seconds from 0 to 20/],
  ['waitTimeSeconds', 21, /whole number of seconds/],
];

describe.each([
  ['createSqsWorker', newWorker, shared, [...wrong, ...wrongForWorkers]],
  ['onceEachSqsMessage', wrap, shared, wrong],
] as const)('%s', (subject, create, right, table) => {
  test('accepts what is right', () => {
    expect(issuesOf(() => create(right))).toEqual([]);
    const absent = { onFailed: undefined, key: undefined, parse: undefined, inTransaction: undefined };
    expect(issuesOf(() => create({ ...right, ...absent, onEvent: undefined }))).toEqual([]);
    expect(issuesOf(() => create({ ...right, visibilityTimeoutSeconds: 31, onFailed: 'keep' }))).toEqual([]);
    expect(issuesOf(() => create({ ...right, queueUrl: 'http://127.0.0.1/1/orders' }))).toEqual([]);
  });

  test.each(table)('refuses a wrong %s (%j) by name', (field, value, message) => {
    const issues = issuesOf(() => create({ ...right, [field]: value }));
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  test.each([
    ['deadLetterQueueUrl', { deadLetterQueueUrl: 'dead' }, /URL of the dead-letter queue/],
    ['deadLetterQueueUrl', { deadLetterQueueUrl: undefined }, /URL of the dead-letter queue/],
    ['deadLetterQueueUrl', {}, /URL of the dead-letter queue/],
    ['typo', { deadLetterQueueUrl: `${queueUrl}-dead`, typo: 1 }, /not an option/],
  ])('refuses a wrong onFailed.%s by name', (field, onFailed, message) => {
    const issues = issuesOf(() => create({ ...right, onFailed }));
    expect(issues).toMatchObject([
      { field: `onFailed.${field}`, message: expect.stringMatching(message) as string },
    ]);
  });

  test.each(['deadLetterQueueURL', 'deadLetterTopic'])('names a misspelt onFailed.%s', (name) => {
    const issues = issuesOf(() => create({ ...right, onFailed: { [name]: `${queueUrl}-dead` } }));
    expect(issues.map(({ field }) => field)).toEqual(['onFailed.deadLetterQueueUrl', `onFailed.${name}`]);
  });

  test.each([
    [undefined, 'got undefined'],
    ['', 'got an empty string'],
    ['sqs://user:secret@example/1/orders?token=secret', 'got sqs://example/1/orders'],
    ['secret', 'got a string that is not a URL'],
    ['arn:aws:sqs:eu-central-1:1:orders', 'got a string that begins with arn:'],
  ])('shows of a wrong queueUrl (%s) what is no secret', (wrongUrl, words) => {
    const issues = issuesOf(() => create({ ...right, queueUrl: wrongUrl }));
    expect(issues).toEqual([{ field: 'queueUrl', message: `must be the URL of the queue, ${words}` }]);
  });

  test('names onFailed.deadLetterQueueUrl beside a wrong queueUrl', () => {
    const wrongFields = (onFailed: object) =>
      issuesOf(() => create({ ...right, queueUrl: undefined, onFailed })).map(({ field }) => field);
    expect(wrongFields({})).toEqual(['queueUrl', 'onFailed.deadLetterQueueUrl']);
    expect(wrongFields({ deadLetterQueueUrl: queueUrl })).toEqual(['queueUrl']);
  });

  test('refuses fingerprint and ignoredFields together', () => {
    const issues = issuesOf(() => create({ ...right, fingerprint: false, ignoredFields: [] }));
    expect(issues).toMatchObject([{ field: 'ignoredFields' }]);
  });

  test('refuses a dead-letter queue that is the queue itself', () => {
    const issues = issuesOf(() => create({ ...right, onFailed: { deadLetterQueueUrl: queueUrl } }));
    expect(issues).toEqual([
      { field: 'onFailed.deadLetterQueueUrl', message: expect.stringContaining('another queue') as string },
    ]);
  });

  test.each([
    'https://eu-central-1.queue.amazonaws.com/000000000000/orders',
    'https://vpce-1.sqs.eu-central-1.vpce.amazonaws.com/000000000000/orders/',
    'http://127.0.0.1:4566/queue/eu-central-1/000000000000/orders',
  ])(
    'refuses a dead-letter queue that is the queue itself by another host name: %s',
    (deadLetterQueueUrl) => {
      const issues = issuesOf(() => create({ ...right, onFailed: { deadLetterQueueUrl } }));
      expect(issues).toMatchObject([{ field: 'onFailed.deadLetterQueueUrl' }]);
    },
  );

  test('takes a dead-letter queue of the same name in another account', () => {
    const deadLetterQueueUrl = queueUrl.replace('000000000000', '111111111111');
    expect(issuesOf(() => create({ ...right, onFailed: { deadLetterQueueUrl } }))).toEqual([]);
  });

  test('names every wrong field at once, and says who refuses', () => {
    const create2 = (): unknown => create({ ...right, client: 1, queueUrl: 2, typo: 3 });
    expect(issuesOf(create2).map(({ field }) => field)).toEqual(['client', 'queueUrl', 'typo']);
    expect(create2).toThrow(new RegExp(`^${subject}: client`));
  });

  test.each([undefined, null, 'options'])('refuses %j in place of options', (options) => {
    expect(() => create(options)).toThrow(/the options must be an object/);
  });
});

describe('Options of calls', () => {
  const handle = onceEachSqsMessage(shared as never, handler) as (
    message: object,
    options: unknown,
  ) => Promise<unknown>;

  test.each([
    ['signal', {}],
    ['receivedAt', 'now'],
    ['receivedAt', Date.now() / 1_000],
    ['receivedAt', performance.now()],
    ['typo', 1],
  ])('of a wrapped handler: a wrong %s is refused by name', async (field, value) => {
    await expect(handle({}, { [field]: value })).rejects.toMatchObject({ issues: [{ field }] });
  });

  test.each([{ MessageId: 'id' }, { ReceiptHandle: 'handle' }])(
    'of a wrapped handler: %j did not come from a receive, and is refused by name',
    async (message) => {
      await expect(handle({ ...message, Body: '1' }, {})).rejects.toThrow(
        /onceEachSqsMessage: message: must be .* with MessageId and ReceiptHandle/,
      );
    },
  );

  test.each([-1, 0.5, 43_200_001, 'soon'])(
    'of a stop: a drainMs of %j is refused by name',
    async (drainMs) => {
      const worker = newWorker(shared) as { stop(options: object): Promise<unknown> };
      await expect(worker.stop({ drainMs })).rejects.toMatchObject({ issues: [{ field: 'drainMs' }] });
    },
  );
});
