import { createHandleOnce, InvalidOptionsError } from 'handle-once';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
const handler = (): undefined => undefined;
const deadLetterQueueUrl = 'https://sqs.eu-central-1.amazonaws.com/000000000000/dead';
const client = { sendMessage: () => Promise.resolve() };

type Row = [field: string, value: unknown, message: RegExp];

const shared: Row[] = [
  ['handleOnce', undefined, /createHandleOnce/],
  ['handleOnce', () => undefined, /createHandleOnce/],
  ['schema', {}, /Standard Schema/],
  ['concurrency', 0, /whole number of handlers from 1 to 1,000/],
  ['concurrency', 1_001, /whole number of handlers/],
  ['batch', 10, /must be an object/],
  ['batch.size', { size: 1 }, /whole number of messages from 2 to 500/],
  ['batch.size', { size: 501 }, /whole number of messages/],
  ['batch.waitMs', { size: 2, waitMs: 1 }, /not an option/],
  ['deadlineMarginMs', 99, /whole number of milliseconds from 100 to 60,000/],
  ['deadlineMarginMs', 60_001, /whole number of milliseconds/],
  ['onEvent', {}, /function of one event/],
  ['deadlineMargin', 1, /not an option/],
];
const ofSqs: Row[] = [
  ['parse', 'json', /function of the body/],
  ['key', 'messageId', /function of the record/],
  ['fingerprint', true, /false or a function/],
  ['ignoredFields', '/sentAt', /list of JSON pointers/],
  ['onFailed', 'commit', /'acknowledge', 'keep' or/],
];
const ofKafka: Row[] = [
  ['parse', 'json', /function of the value/],
  ['key', 'offset', /function of the message/],
  ['groupId', undefined, /id of the consumer group/],
  ['groupId', '', /must not be empty/],
  ['groupId', '\ud800', /lone surrogate/],
  ['groupId', 'x'.repeat(510), /scope that is not valid.* at most 512 characters/],
  ['onFailed', undefined, /'acknowledge' .*; 'keep' .*on-failure destination/],
  ['onFailed', 'delete', /must be chosen/],
  ['onKept', 'retry', /'throw' or 'report'/],
];

describe.each([
  ['onceEachSqsRecord', onceEachSqsRecord as never, { handleOnce }, [...shared, ...ofSqs]],
  [
    'onceEachKafkaRecord',
    onceEachKafkaRecord as never,
    { handleOnce, groupId: 'billing', onFailed: 'acknowledge' },
    [...shared, ...ofKafka],
  ],
] as const)('%s', (subject, once: (options: unknown, handler: unknown) => unknown, right, table) => {
  test('accepts what is right', () => {
    expect(issuesOf(() => once(right, handler))).toEqual([]);
    expect(issuesOf(() => once({ ...right, concurrency: 1_000, deadlineMarginMs: 100 }, handler))).toEqual(
      [],
    );
  });

  test.each(table)('refuses a wrong %s (%j) by name', (field, value, message) => {
    const issues = issuesOf(() => once({ ...right, [field.split('.')[0] as string]: value }, handler));
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  test('names every wrong field at once, and says who refuses', () => {
    const create = (): unknown => once({ ...right, concurrency: 0, typo: 3 }, 'no handler');
    expect(issuesOf(create).map(({ field }) => field)).toEqual(['concurrency', 'handler', 'typo']);
    expect(create).toThrow(new RegExp(`^${subject}: concurrency`));
  });

  test.each([undefined, null, 'options'])('refuses %j in place of options', (options) => {
    expect(() => once(options, handler)).toThrow(InvalidOptionsError);
  });
});

describe('A batch', () => {
  const issues = (more: object) =>
    issuesOf(() => onceEachSqsRecord({ handleOnce, batch: { size: 500 }, ...more } as never, handler));

  test('is so large, and so many of them run at once, that all have 5,000 messages', () => {
    expect(issues({ concurrency: 10 })).toEqual([]);
    expect(issues({ concurrency: 11 })).toEqual([
      {
        field: 'concurrency',
        message:
          'must be at most 10 with batch.size 500 (got 11): concurrency times batch.size is at most 5,000',
      },
    ]);
  });

  test('needs retries that leave room for the faults of others', () => {
    expect(issues({ maxAttempts: 1, maxDeaths: 2 }).map(({ field }) => field)).toEqual([
      'maxDeaths',
      'maxAttempts',
    ]);
  });
});

describe('What is compared', () => {
  const key = (): string => 'order-1';

  test.each([{ fingerprint: false as const }, { ignoredFields: ['/sentAt'] }])(
    'can be chosen for records of Kafka only under a key of the user’s own: %j',
    (options) => {
      const once = (given: object) => () =>
        onceEachKafkaRecord({ handleOnce, groupId: 'billing', onFailed: 'acknowledge', ...given }, handler);
      expect(issuesOf(once({ ...options, key }))).toEqual([]);
      expect(issuesOf(once(options))).toEqual([
        { field: 'key', message: expect.stringMatching(/is missing, but .* need it/) as string },
      ]);
    },
  );

  test.each([
    (options: object) => onceEachSqsRecord({ handleOnce, ...options }, handler),
    (options: object) =>
      onceEachKafkaRecord(
        { handleOnce, groupId: 'billing', onFailed: 'acknowledge', key, ...options },
        handler,
      ),
  ])('is chosen in one way', (once) => {
    expect(issuesOf(() => once({ fingerprint: false, ignoredFields: [] }))).toMatchObject([
      { field: 'ignoredFields' },
    ]);
  });
});

describe('A dead-letter queue', () => {
  const issues = (onFailed: unknown) =>
    issuesOf(() => onceEachSqsRecord({ handleOnce, onFailed: onFailed as never }, handler));

  test('needs a URL and something that sends', () => {
    expect(issues({ deadLetterQueueUrl, client })).toEqual([]);
    expect(issues({ deadLetterQueueUrl: 'dead', client: { send: () => undefined } })).toEqual([
      { field: 'onFailed.deadLetterQueueUrl', message: expect.stringContaining('URL') as string },
      { field: 'onFailed.client', message: expect.stringContaining('new SQS()') as string },
    ]);
  });
});
