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
import { describe, expect, test } from 'vitest';
import {
  type Disposition,
  dispositionOf,
  type OnFailed,
  type ReportReason,
} from '../../adapters/lambda/disposition.ts';

const send = (): Promise<void> => Promise.resolve();
const EVERY_ON_FAILED: OnFailed[] = ['settle', 'report', send];

const SETTLE: Disposition = { action: 'settle' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', send };
const report = (reason: ReportReason): Disposition => ({ action: 'report', reason });

const base = { attempts: 3 };
const error = { name: 'Error', message: 'no' };

describe.each([false, true])('replayed: %s', (replayed) => {
  const succeeded: Outcome<unknown>[] = [
    { ...base, state: 'succeeded', replayed, result: 1 },
    { ...base, state: 'succeeded', replayed, result: undefined, resultOmitted: 'too-large' },
  ];

  test('a success is not reported, whatever happens to failures', () => {
    for (const outcome of succeeded) {
      for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(SETTLE);
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
    expect(dispositions).toEqual([SETTLE, report('failed'), DEAD_LETTER]);
  });
});

const PENDING: Record<PendingReason, true> = {
  'in-flight': true,
  released: true,
  'lease-lost': true,
  unrecorded: true,
};

test.each(Object.keys(PENDING) as PendingReason[])(
  'pending (%s) is reported, whatever happens to failures',
  (reason) => {
    const outcome: Outcome<unknown> = { ...base, state: 'pending', reason, retryAfterMs: 0 };
    for (const onFailed of EVERY_ON_FAILED) {
      expect(dispositionOf({ outcome }, onFailed)).toEqual(report(reason));
    }
  },
);

test.each([
  ['mismatch', new PayloadMismatchError('scope', 'key')],
  ['invalid-key', new InvalidKeyError('key must not be empty')],
] as const)(
  'a %s is never passed in silence: dead-lettered if it can be, else reported',
  (reason, thrown) => {
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ thrown }, onFailed));
    expect(dispositions).toEqual([report(reason), report(reason), DEAD_LETTER]);
  },
);

test.each([
  ['store-error', new StoreError('down', { retriable: true })],
  ['store-error', new StoreError('refused', { retriable: false })],
  ['store-error', new SchemaError('no tables')],
  ['out-of-time', new AbortedError('the function has to answer')],
  ['error', new InvalidOptionsError('handleOnce', [])],
  ['error', new UnhashablePayloadError('a cycle')],
  ['error', new LeaseLostError('lapsed')],
  ['error', new TypeError('a bug')],
  ['error', 'not an error'],
  ['error', undefined],
] as const)('as %s is reported: %s', (reason, thrown) => {
  for (const onFailed of EVERY_ON_FAILED) {
    expect(dispositionOf({ thrown }, onFailed)).toEqual(report(reason));
  }
});
