import { describe, expect, test } from 'vitest';
import {
  type Disposition,
  dispositionOf,
  type OnFailed,
  type ReportReason,
} from '../../adapters/lambda/disposition.ts';
import { failures, pendingOutcomes, successes, THROWN, type Thrown } from '../support/handled.ts';

const send = (): Promise<void> => Promise.resolve();
const EVERY_ON_FAILED: OnFailed[] = ['settle', 'report', send];

const SETTLE: Disposition = { action: 'settle' };
const DEAD_LETTER: Disposition = { action: 'dead-letter', send };
const report = (reason: ReportReason): Disposition => ({ action: 'report', reason });

describe.each([false, true])('replayed: %s', (replayed) => {
  test('a success is not reported, whatever happens to failures', () => {
    for (const outcome of successes(replayed)) {
      for (const onFailed of EVERY_ON_FAILED) expect(dispositionOf({ outcome }, onFailed)).toEqual(SETTLE);
    }
  });

  test.each(failures(replayed))('a failure ($reason) goes where onFailed says', (outcome) => {
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ outcome }, onFailed));
    expect(dispositions).toEqual([SETTLE, report('failed'), DEAD_LETTER]);
  });
});

test.each(pendingOutcomes(0))('pending ($reason) is reported, whatever happens to failures', (outcome) => {
  for (const onFailed of EVERY_ON_FAILED) {
    expect(dispositionOf({ outcome }, onFailed)).toEqual(report(outcome.reason));
  }
});

test.each([
  ['mismatch', THROWN.mismatch],
  ['invalid-key', THROWN['invalid key']],
  ['invalid-key', THROWN['unhashable payload']],
] as const)(
  'a %s is never passed in silence: dead-lettered if it can be, else reported',
  (reason, thrown) => {
    const dispositions = EVERY_ON_FAILED.map((onFailed) => dispositionOf({ thrown }, onFailed));
    expect(dispositions).toEqual([report(reason), report(reason), DEAD_LETTER]);
  },
);

const REASONS: Record<Exclude<Thrown, 'mismatch' | 'invalid key' | 'unhashable payload'>, ReportReason> = {
  'store unreachable': 'store-error',
  'store refused': 'store-error',
  'data refused': 'store-error',
  'damaged record': 'error',
  'no tables': 'store-error',
  aborted: 'out-of-time',
  'invalid options': 'error',
  'lost lease': 'error',
  'terminal error': 'error',
  'retryable error': 'error',
  'invalid payload': 'error',
  bug: 'error',
  text: 'error',
  nothing: 'error',
};

test.each(Object.entries(REASONS) as [keyof typeof REASONS, ReportReason][])(
  '%s is reported as %s',
  (what, reason) => {
    const thrown = THROWN[what];
    for (const onFailed of EVERY_ON_FAILED) {
      expect(dispositionOf({ thrown }, onFailed)).toEqual(report(reason));
    }
  },
);
