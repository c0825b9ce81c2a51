import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  type FailedReason,
  InvalidKeyError,
  InvalidOptionsError,
  LeaseLostError,
  type Outcome,
  PayloadMismatchError,
  type PendingReason,
  SchemaError,
  StoreError,
  UnhashablePayloadError,
} from 'handle-once';
import { type Disposition, dispositionOf, type OnFailed } from 'handle-once/sqs';

const DEAD_LETTERS = { deadLetterQueueUrl: 'https://sqs.example/dead' };
const EVERY_ON_FAILED: OnFailed[] = ['delete', 'leave', DEAD_LETTERS];

const DELETE: Disposition = { action: 'delete' };
const UNTOUCHED: Disposition = { action: 'leave' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', ...DEAD_LETTERS };

const base = { attempts: 3 };
const error = { name: 'Error', message: 'no' };

describe.each([false, true])('replayed: %s', (replayed) => {
  const succeeded: Outcome<unknown>[] = [
    { ...base, state: 'succeeded', replayed, result: 1 },
    { ...base, state: 'succeeded', replayed, result: undefined, resultOmitted: 'too-large' },
  ];

  test('a success is deleted, whatever happens to failures', () => {
    for (const outcome of succeeded) {
      for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(DELETE);
    }
  });

  const reasons: Record<FailedReason, true> = {
    terminal: true,
    'attempts-exhausted': true,
    'invalid-payload': true,
  };
  test.each(Object.keys(reasons) as FailedReason[])('a failure (%s) goes where onFailed says', (reason) => {
    const outcome: Outcome<unknown> = { ...base, state: 'failed', replayed, reason, error };
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ outcome }, onFailed));
    expect(dispositions).toEqual([DELETE, UNTOUCHED, DEAD_LETTER]);
  });
});

const LATER: Disposition = { action: 'leave', visibleAfterMs: 1_234 };
const PENDING: Record<PendingReason, Disposition> = {
  'in-flight': LATER,
  released: LATER,
  'lease-lost': UNTOUCHED,
  unrecorded: UNTOUCHED,
};

test.each(Object.entries(PENDING) as [PendingReason, Disposition][])(
  'pending (%s) is left, whatever happens to failures',
  (reason, expected) => {
    const outcome: Outcome<unknown> = { ...base, state: 'pending', reason, retryAfterMs: 1_234 };
    for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(expected);
  },
);

test.each([new PayloadMismatchError('scope', 'key'), new InvalidKeyError('key must not be empty')])(
  '$name is never deleted in silence: dead-lettered if there is a queue for it, else left',
  (thrown) => {
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ thrown }, onFailed));
    expect(dispositions).toEqual([UNTOUCHED, UNTOUCHED, DEAD_LETTER]);
  },
);

test.each([
  new StoreError('down', { retriable: true }),
  new StoreError('refused', { retriable: false }),
  new SchemaError('no tables'),
  new InvalidOptionsError('handleOnce', []),
  new UnhashablePayloadError('a cycle'),
  new LeaseLostError('lapsed'),
  new TypeError('a bug'),
  'not an error',
  undefined,
])('%s is left untouched', (thrown) => {
  for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ thrown }, onFailed)).toEqual(UNTOUCHED);
});

test('what was aborted before it started is visible at once', () => {
  const thrown = new AbortedError('stopping');
  for (const onFailed of EVERY_ON_FAILED) {
    expect(dispositionOf({ thrown }, onFailed)).toEqual({ action: 'leave', visibleAfterMs: 0 });
  }
});
